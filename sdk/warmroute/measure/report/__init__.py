"""The report of a comparison: a page for people, JSON, CSV and Parquet for programs."""

from warmroute.measure.report.schema import report_schema
from warmroute.measure.report.write import ReportFiles, render_report, write_report

__all__ = ["ReportFiles", "render_report", "report_schema", "write_report"]
