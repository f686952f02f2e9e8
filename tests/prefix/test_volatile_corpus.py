"""A corpus of prompt texts, each with what in it changes from call to call: all of it is found, and nothing else.

The texts are made up. In a text that changes, ``«`` and ``»`` stand around each changing piece.
"""
# ruff: noqa: RUF001 - Its languages have letters and dashes of their own.

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.prefix import VolatileKind, canonical_json, find_volatile
from warmroute.prefix.volatile_doubt import is_fixed
from warmroute.prefix.volatile_text import _HEX_PATTERNS, _PATTERNS, Span, volatile_spans

K = VolatileKind
TMP = "/" + "tmp"

CHANGING: list[tuple[VolatileKind, str]] = [
    (K.DATE, "Today is «2026-07-20»."),
    (K.DATE, "Current date: «July 20, 2026»"),
    (K.DATE, "You are a helpful assistant. The date is «11/29/26»."),
    (K.DATE, "date=«29/11/26», region=eu"),
    (K.DATE, "Aujourd'hui, nous sommes le «20 juillet 2026»."),
    (K.DATE, "Heute ist Montag, der «20. Juli 2026»."),
    (K.DATE, "Heute ist der «20.07.2026»."),
    (K.DATE, "Stand: «20.07.26»"),
    (K.TIME, "Stand: «20.07.26 10:15»"),
    (K.DATE, "Heute ist der «20.07.26», 14 Uhr."),
    (K.DATE, "Hoy es «20 de julio de 2026»."),
    (K.DATE, "Hoje é «20 de julho de 2026»."),
    (K.DATE, "Oggi è il «20 luglio 2026»."),
    (K.DATE, "Vandaag is het «20 juli 2026»."),
    (K.DATE, "Сегодня «20 июля 2026» года."),
    (K.DATE, "今天是«2026年7月20日»,请用中文回答。"),
    (K.DATE, "本日は«2026年7月20日»です。"),
    (K.DATE, "오늘은 «2026년 7월 20일»입니다."),
    (K.DATE, "오늘 날짜: «2026. 7. 20». 친절하게 답하세요."),
    (K.DATE, "Report of «20-07-2026» for the board"),
    (K.DATE, "Report of «20-Jul-2026» for the board"),
    (K.DATE, "REPORT OF «20-JUL-2026» FOR THE BOARD"),
    (K.DATE, "REPORT OF «20-JUL-26» FOR THE BOARD"),
    (K.DATE, "TODAY IS «MONDAY, JULY 20, 2026»."),
    (K.DATE, "Today is Monday, «July 20». Answer briefly."),
    (K.DATE, "The current date is «20 July» and the user waits."),
    (K.DATE, "It is «Mon, 20 Jul 2026» for the user."),
    (K.DATE, "business day «20260720», desk EMEA"),
    (K.DATE, "<date>«2026/07/20»</date>"),
    (K.DATE, "Last updated: «2026-07-20»"),
    (K.TIME, "<now>«2026-07-20T10:15:32Z»</now>"),
    (K.TIME, "now «2026-07-20t10:15:32z»"),
    (K.TIME, "Snapshot taken «20260720T101500Z» by the agent"),
    (K.TIME, "run started «20260720-101532», please summarise"),
    (K.TIME, "stamp «20260720101532» follows"),
    (K.TIME, "Current time: «2026-07-20 10:15:32.123456»"),
    (K.TIME, "Current time: «2026-07-20 10:15:32.123456789+02:00»"),
    (K.TIME, "The current time is «10:15»."),
    (K.TIME, "It is now «3:15 PM PDT»."),
    (K.TIME, "IT IS NOW «3:15 PM»"),
    (K.TIME, "Local time «14:59», sunny."),
    (K.TIME, "Es ist jetzt «14:59» Uhr."),
    (K.TIME, "Uhrzeit: «08:30»"),
    (K.TIME, "Il est «14h59» à Paris."),
    (K.TIME, "Son las «14:59» en Madrid."),
    (K.TIME, "当前时间: «14:59»"),
    (K.TIME, "現在の時刻: «14:30»"),
    (K.TIME, "Сейчас «14:59» по Москве."),
    (K.TIME, "Generated on «Monday, July 20, 2026 at 10:15:32 AM UTC»"),
    (K.TIME, "Log of «20/Jul/2026:10:15:32 +0000» follows"),
    (K.TIME, "screenshot «2026-07-20_10-15-32» of the page"),
    (K.TIME, "The user logged in at «10:15:32»."),
    (K.TIME, "generated at «09:41»"),
    (K.EPOCH, "timestamp «1784542532»"),
    (K.EPOCH, "ts_ms «1784542532123» for tracing"),
    (K.EPOCH, "ts_us «1784542532123456» for tracing"),
    (K.EPOCH, "ts_ns «1784542532123456789» for tracing"),
    (K.EPOCH, '{"created": «1784542532.25», "v": 1}'),
    (K.UUID, "Session «8e6f1c1e-5e0e-4d8a-9a51-1d0b5cb0ad11» of the user"),
    (K.UUID, "SESSION «8E6F1C1E-5E0E-4D8A-9A51-1D0B5CB0AD11» OF THE USER"),
    (K.UUID, "urn:uuid:«0190c5d2-7b3c-7e44-b1a9-6f0d3c2b1a09»"),
    (K.HEX_ID, "traceparent: «00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01»"),
    (K.HEX_ID, "X-Amzn-Trace-Id: Root=«1-67891233-abcdef012345678912345678»"),
    (K.HEX_ID, "b3: «80f198ee56343ba864fe8b2a57d3eff7-e457b5a2e4d86bd1-1»"),
    (K.HEX_ID, "document «507f1f77bcf86cd799439011» is open"),
    (K.HEX_ID, "x-anthropic-billing-header: cc_version=2.1; cch=«36ee5»; go"),
    (K.ID, "tenant id: «acme-4711»"),
    (K.ID, "Customer ID: «C88231»"),
    (K.ID, "X-Correlation-ID: «corr-81af3»"),
    (K.ID, "correlation_id = «9f81b2»"),
    (K.ID, '{"user_id": "«u1234»", "lang": "en"}'),
    (K.ID, '{"sessionId":"«s-7f3a»"}'),
    (K.ID, "The user ID is «88123»."),
    (K.ID, "Kunden-ID: «K-48213»"),
    (K.ID, "ID de sesión: «ses-8841»"),
    (K.ID, "用户ID:«8812345»"),
    (K.ID, "request_id: «req-81»"),
    (K.ID, "CONVERSATION ID = «CONV-81»"),
    (K.ID, "The tool call «call_a1B2c3D4e5» failed before."),
    (K.ID, "Continue «thread_8Xk2mQ9vT4pLz7», as agreed."),
    (K.ID, "Message «msg_01XFDUDYJgAACzvnptvVoYEL» was edited."),
    (K.ID, "Completion «chatcmpl-9aBcDeFgHiJkLmNoPqRsTuVwXyZ01» was cut."),
    (K.ID, "trace «01ARZ3NDEKTSV4RRFFQ69G5FAV» and go on"),
    (K.ID, "trace «01arz3ndektsv4rrffq69g5fav» and go on"),
    (K.COUNTER, "«Request #4711»: be brief."),
    (K.COUNTER, "This is «turn 7 of 20»."),
    (K.COUNTER, "«REQUEST NO. 4711»"),
    (K.COUNTER, "You have «17 unread messages»."),
    (K.COUNTER, "Summary of «17 previous messages»:"),
    (K.COUNTER, "You have «5 new messages»."),
    (K.TEMPORARY_PATH, f"Write to «{TMP}/run-17/out.txt» only."),
    (K.TEMPORARY_PATH, f"cwd «{TMP}/{TMP[1:]}ab_x9kqz» (sandbox)"),
    (K.TEMPORARY_PATH, f"cwd «{TMP}/{TMP[1:]}.Xk29aQ» (sandbox)"),
    (K.TEMPORARY_PATH, "cwd «/var/folders/zz/zyxvpxvqcsfxvnn/T/build» (sandbox)"),
    (K.TEMPORARY_PATH, "cwd «C:\\Users\\me\\AppData\\Local\\Temp\\tmp12ab\\out» (sandbox)"),
    (K.TEMPORARY_PATH, "cwd «C:\\\\Users\\\\me\\\\AppData\\\\Local\\\\Temp\\\\x9» (escaped twice)"),
    (K.TEMPORARY_PATH, "cwd «C:\\Temp\\job81» (sandbox)"),
    (K.TEMPORARY_PATH, "cwd «C:\\WINDOWS\\TEMP\\JOB81» (sandbox)"),
    (K.TEMPORARY_PATH, "cwd «C:/Users/RUNNER~1/AppData/Local/Temp/x9» (sandbox)"),
    (K.TEMPORARY_PATH, "cwd «%TEMP%\\job81» (sandbox)"),
    (K.DATE, "Current date: «2026-07-20»"),
    (K.DATE, "Currentdate: «2026-07-20»."),
    (K.DATE, "Knowledge cutoff: 2024-06. Current date: «2026-11-30»."),
    (K.DATE, "Today's date is «Monday, November 30, 2026»."),
    (K.TIME, "today: «30.11.2026 14:59»"),
    (K.TIME, "The current date and time is «2026-11-30 14:59:03» (Europe/Berlin)."),
    (K.TIME, "Time: «14:59»"),
    (K.TIME, "Current time (UTC): «10:15»"),
    (K.TIME, "Now: «10:15 UTC»"),
    (K.TIME, "system time = «23:59:59»"),
    (K.TIME, "User's local time is «3:16 pm.»"),
    (K.DATE, "Fecha: «30/11/2026»"),
    (K.DATE, "Data: «30/11/2026»"),
    (K.DATE, "今日は«2026年11月30日»(月)です"),
    (K.TIME, "現在時刻は«14:59»です。"),
    (K.TIME, "[«2026-11-30 14:59:03,123»] INFO start"),
    (K.HEX_ID, "nonce «8e6f1c1e5e0e4d8a9a511d0b»"),
    (K.ID, "conversation-id: «01J0ABCDEF»"),
    (K.ID, "user: «usr_2f8c91ab»"),
    (K.ID, "Session token «sess_8f3b2c9d1e»"),
    (K.ID, "«run-0a1b2c3d4e5f»"),
    (K.TEMPORARY_PATH, "working directory: /private«/var/folders/x1/8j2kd/T/tmp1»"),
    (K.TEMPORARY_PATH, f"TMPDIR=«{TMP}/{TMP[1:]}abcdefgh»"),
    (K.TEMPORARY_PATH, "«C:\\Users\\RUNNER~1\\AppData\\Local\\Temp\\pip-req-build-x8s7»"),
    (K.COUNTER, "«Attempt 2 of 3»"),
    (K.COUNTER, "«iteration #4»"),
    (K.ID, "Tenant-ID: «t_4711»"),
    (K.ID, "Order ID is «88213-A»"),
    (K.EPOCH, "epoch=«1764500000»"),
]  # fmt: skip

FIXED = [
    # Names of models, tools and packages.
    "You are based on gpt-4-0613.",
    "You are claude-3-5-sonnet-20241022, made to help.",
    "Answer as gpt-4o-2024-08-06 would.",
    "Use anthropic.claude-3-haiku-20240307-v1:0 for drafts.",
    "Use claude-3-5-sonnet@20240620 on Vertex.",
    "Call run_query_v2 for SQL, call_function_base64 for files and session_manager_2 otherwise.",
    "Use thread_pool_executor_2, trace_level_3 and msg_template_v10.",
    "call_sha256sum takes a path; run_python3_script takes code.",
    "task_force_141 and event_horizon_1997 are films or games.",
    "pip install requests==2026.1.15 pandas==2.2.3",
    "llama-3.1-70b-instruct on ml.p5.48xlarge",
    "Serve with vLLM v0.30.0 and CUDA 12.8.1.",
    "The user_service_8080_internal host is private.",
    # Versions.
    "Version 2024.01.15",
    "Version: 2026-01-15",
    "version 20.10.2026 of the manual",
    "Release 2026.07.20 fixes it.",
    "API version 2026-02-01 or later",
    "api-version=2026-08-01-preview",
    '{"Version": "2012-10-17", "Statement": []}',
    '{"protocolVersion": "2025-06-18"}',
    "Fassung vom 20.07.2026",
    "版本 2026-07-20",
    "Python 3.11.7, Node 20.11.1, Go 1.22.4",
    "semver 1.2.3-rc.1+build.20260720",
    # Policies.
    "This policy is effective as of January 1, 2026.",
    "The law has been in force since 1 January 2026.",
    "Gültig ab 01.01.2026.",
    "本规定自2026年1月1日起施行。",
    "Your knowledge cutoff is 2024-06-01.",
    "Knowledge cutoff: October 1, 2023",
    "Copyright 2026-01-01 the authors",
    "The treaty was signed on 4 July 1976.",
    "She was born on 1985-03-12.",
    "Coupons are valid until 31 December 2026.",
    # Hours.
    "Office hours are 09:00-17:00.",
    "Office hours: Mon-Fri 09:00–17:00, Sat 10:20–13:40.",
    "We answer from 9:00 AM to 5:00 PM EST.",
    "Support is open between 08:00 and 20:00 CET.",
    "Geöffnet von 09:00 bis 18:30 Uhr.",
    "Ouvert de 09:00 à 18:00.",
    "Abierto de 09:00 a 18:00.",
    "Aperto dalle 09:00 alle 18:00.",
    "Открыто с 09:00 до 18:00.",
    "营业时间: 09:00-18:00",
    "営業時間は09:00から18:00までです。",
    "영업 시간은 09:00부터 18:00까지입니다.",
    "Check-in is from 15:00, check-out time is 11:00.",
    "Trains leave at 08:47 and 09:17.",
    "Orders before 14:00 ship the same day.",
    "Backups run daily at 02:30 UTC.",
    "Never call a customer after 21:00.",
    "The closing time is 18:00.",
    "timeout 00:30:00, max duration 01:15:00",
    "00:00:10,500 --> 00:00:13,000",
    "You are free until 5:30 pm.",
    "Delivery time: 18:00",
    # Ratios, scores, verses, ports, addresses.
    "Keep a 16:9 ratio, or a ratio of 10:25.",
    "John 3:16 and a score of 21:19",
    "Map ports 8080:80 and 22:22.",
    "curl http://127.0.0.1:8080/v1/models",
    "Allow 10.0.0.0/16 and 192.168.10.20/24 on port 443.",
    "The MAC is 00:1a:2b:3c:4d:5e; fe80:12:34:56::1 is its address.",
    "Divide 1/2 by 3/4, or 24/7 by 365.",
    # Schemas and examples of them.
    "user_id: int64, tenant_id: uint32, trace_id: sha256",
    "user_id: varchar255; session_id: uuid4; request_id: string36",
    '{"user_id": "int64", "order_id": "uuid7"}',
    "trace_id: W3C format",
    "user id: 10-digit number; request id: 128 characters",
    "The user id: the field that names the user.",
    "Dates are ISO 8601, e.g. 2026-07-20 or 2026-07-20T10:15:00Z.",
    "A date such as 2026-07-20.",
    "Format: 2026-07-20T10:15:32Z",
    "Z. B. 20.07.2026",
    "Par exemple, le 20 juillet 2026.",
    "例如 2026年7月20日",
    "An order id, for example call_a1B2c3D4e5.",
    "The id of the user (e.g. 8e6f1c1e-5e0e-4d8a-9a51-1d0b5cb0ad11).",
    "YYYY-MM-DD, HH:MM:SS and 00000000-0000-0000-0000-000000000000",
    # Numbers.
    "ISO 8601:2019, ISO/IEC 27001:2022 and RFC 9110",
    "Errors E1234, ORA-00942, 0x80070005 and HTTP 404 are final.",
    "Prices: $12.50, €1,234.56, 1'499.00 CHF, ¥20260720",
    "Call +1 555 123 4567, (555) 123-4567 or 0800 123 4567.",
    "Call 1588123456 toll-free.",
    "ISBN 1593279280",
    "The model has 1500000000 parameters.",
    "Limit: 1600000000 bytes",
    "Room 1024 holds 17 people for 3.50 each.",
    "DIN 66001, § 3.4.2, Art. 12.5, page 4/20",
    "card 4111 1111 1111 1111, IBAN DE89 3704 0044 0532 0130 00",
    "the years 2026 and 2027, May 2026, Q3 2026, 2025-2026",
    # Lists and instructions.
    "Build 5 new requests for the API.",
    "Keep the last 10 previous messages, at most 20 earlier turns.",
    "Message #1: Hello. Message #2: Bye.",
    "Build number 512 of the tool",
    "Call number 112 in an emergency.",
    "step 3 of the plan, part 2 of 5",
    # Checksums, links, paths.
    "image@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "md5 9e107d9d372bb6826bd81d3542a419d6",
    "commit 8e6f1c1e5e0e4d8a9a511d0b5cb0ad1122334455",
    "See https://example.com/2026/07/20/how-to and https://json-schema.org/draft/2020-12/schema.",
    f"Write to {TMP}/output and keep {TMP}/cache clean.",
    "C:\\Program Files\\Tool 2\\bin and /usr/lib/python3.11/site-packages",
    "The contract is 0x52908400098527886E0F7030069857D2E4169EE7.",
    "color=ff00ff; width=1024; #a1b2c3",
    # System prompts of many kinds.
    "You are a large language model. Knowledge cutoff: 2024-10",
    "Our SLA is 99.95% uptime with p99 < 350 ms and 1,000 RPS.",
    "Refunds are possible within 30 days (e.g. bought on 2026-01-02, refund until 2026-02-01).",
    "Do not discuss events after April 2024.",
    "Business hours: Monday to Friday, 8:30 am - 5:30 pm (CET).",
    "Hours: Mo-Fr 8:30-17:30 Uhr",
    "The daily standup is at 9:15 AM and lunch from 12 to 1 PM.",
    "Use model meta-llama/Llama-3.1-70B-Instruct or mistral-large-2407 or o1-2024-12-17.",
    "Use qwen2.5-72b-instruct, deepseek-r1-0528, gemini-2.0-flash-001, text-embedding-3-large.",
    "Answer with HTTP status 200, 404 or 500; ports 8080, 5432 and 6379.",
    "Network: 172.16.0.0/12, 2001:db8::/32, fe80::1%eth0",
    "Our hotline: +49 30 901820, fax 030-901820-99, US 1-800-555-0199.",
    "Price list: A 12.50 EUR, B 1.299,00 EUR, C $3,499.",
    "Follow ISO 9001:2015, ISO/IEC 42001:2023, EN 301 549 V3.2.1, NIST SP 800-53 Rev. 5.",
    "error ERR_SSL_VERSION_OR_CIPHER_MISMATCH (code -113), SQLSTATE 23505, CVE-2021-44228, KB5034441",
    "Escalate P1 within 15 minutes, P2 within 4 hours, P3 by 17:00 the next business day.",
    "Quiet hours are 22:00 to 07:00.",
    "cron: 0 3 * * 1-5, 30 2 1 * *",
    "pattern: ^\\d{4}-\\d{2}-\\d{2}$ maxLength: 64, minimum: 0, maximum: 2147483647",
    "order_id (string, 12 characters), customer_id (int32), user_id: UUID v4",
    '"customer_id": {"type": "string", "description": "Customer id, like C12345"}',
    "session_id: string (36), message_id: bigint(20), user_id: i64",
    "trace_id: 32 hex digits; span_id: 16 hex digits",
    "run_id: optional, run_2_of_3",
    "Pick one of session_config_v2, user_profile_2024, event_type_42 or job_runner_x86_64",
    "task_list_v10_final, user_input_utf8mb4, call_api_v1beta1, run_ec2_instances, call_s3_put_object",
    "org_unit_12 and ticket_type_1234",
    "Released under Apache-2.0; copyright 2024-2026 Example Corp.",
    "Seats 12A-14F, gate B22, flight LH 454, boarding 45 minutes before departure.",
    "Dates in DD/MM/YYYY, for instance 31/12/2026; times in 24h, for instance 23:59.",
    'Accept dates like "2026-07-20", "20 July 2026" or "07/20/26".',
    "Examples: 2026-07-20T10:15:00Z, 2026-07-20T10:15:00+02:00",
    "Aspect ratios 16:9, 4:3, 21:9; scale 1:25000",
    "The meeting room opens at 07:45.",
    "A contrast ratio of at least 04:51, a 15:23 mix of sand and gravel, a 12:11 win for red",
    "pip 23.12.26.1, tool 1.11.26, build 10.11.26.4, release 20.07.26",
    "SHA-1 da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "The Eiffel tower (330 m) opened on 31 March 1889.",
    "Moon landing: July 20, 1969 at 20:17 UTC",
    "Founded in 2021-03-01 in Berlin.",
    "Menu: 1) Pizza 8.50 2) Pasta 9.20 3) Salad 7.10",
    "anthropic-version: 2023-06-01",
    "api-version 2024-02-15-preview",
    "x-ms-version: 2023-11-03",
    "schema http://json-schema.org/draft-07/schema#, $id: https://example.com/v1/2024-01-15/schema",
    "Effective Date: March 1, 2026",
    "Last 30 days, next 7 days, Q4 FY26, week 30/52",
    "You are a large language model of the GPT-4 family. Knowledge cutoff: 2023-04.",
    "Answer in Markdown; use H1-H3; at most 500 words; temperature 0.7.",
    "Supported models: gpt-4o-mini-2024-07-18, gpt-3.5-turbo-0125, claude-opus-4-20250514, claude-3-7-sonnet-latest.",
    "image: 123456789012.dkr.ecr.us-east-1.amazonaws.com/vllm:0.30.0-gpu-py312-cu128-ubuntu22.04-sagemaker",
    "arn:aws:sagemaker:us-east-1:123456789012:endpoint/chat-prod",
    "s3://models-123456789012/llama-3.1/v2/",
    "Employees accrue 1.5 days per month; 24 days per year; max 40.",
    "Sick leave: notify before 09:30 on the first day.",
    "The cafeteria is open Mon-Thu 11:30-14:00 and Fri 11:30 to 13:30.",
    "Set alarm at 06:45; do not disturb until 07:10.",
    "Kontakt: Mo. bis Fr. von 8:00 bis 17:00 Uhr, Tel. 0800 1234567.",
    "Le service est ouvert du lundi au vendredi, de 8h30 à 17h45.",
    "Horario: de 9:00 a 14:00 y de 16:00 a 19:30.",
    "Orario: 9:00-13:00, 15:00-19:00",
    "Open daily 11:30-22:00, on Sundays 09:00-20:30.",
    "Рабочее время: 09:00–18:00",
    "客服时间为每天09:00至21:00。",
    "電話: 03-1234-5678 (平日 9:00〜17:00)",
    "고객센터 1588-1234 (평일 09:00~18:00)",
    'Return JSON: {"date": "YYYY-MM-DD", "time": "HH:MM", "id": "<uuid>"}',
    "const MAX = 4294967296; let t = 1000 * 60 * 60 * 24;",
    "git checkout v1.2.3 && npm install react@18.2.0",
    "POST /v1/users/{user_id}/orders/{order_id}?limit=100",
    "X-Request-ID: <generated>",
    "Authorization: Bearer ${TOKEN}",
    "regex: [0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}",
    "sizes 640x480, 1920x1080@60, 4K",
    "Use ISO 4217 codes (978 for EUR), ISO 3166-1 and UTC+02:00.",
    "time zone: Europe/Berlin (UTC+01:00)",
    "max_tokens=4096, n=1, top_p=0.95, seed=42",
    "The Paris Agreement was adopted on 12 December 2015.",
    "Tax year 2025/26, § 15 UStG, BGBl. I S. 1234",
    "Chapter 12:30 is blank",
    "In 2026, 3 of 4 users asked 5 questions in 10 minutes.",
    "Turn 90 degrees, then 3 steps",
    "request_count: 100, message_limit: 50, session_timeout: 1800",
    "Turn limit: 10 turns; attempt at most 3 times",
    "file:///C:/Program%20Files/App/1.2/readme.txt",
    "#include <stdio.h> // C99, C++17",
    "E = mc^2; 1e-7; 6.02214076e23; 0xDEADBEEF; 0b1010",
    "ticket_priority: P1..P4; case_type: 1, 2 or 3",
    "call_center_24_7 handles it; user_agent_5_0",
    "task-force-2030-agenda; batch_size_1024_tokens_4096",
    "run_tests_3_11_on_linux_x86_64",
    "session-affinity-timeout-3600s",
    "org-chart-2026-v2-final",
    "event-driven-architecture-101-basics",
]  # fmt: skip

MARKS = re.compile("[«»]")


def pieces(text: str) -> list[str]:
    return re.findall("«(.*?)»", text, re.DOTALL)


def system(text: str) -> dict[str, Any]:
    return {"messages": [{"role": "system", "content": text}, {"role": "user", "content": "Hi"}]}


def php_json(value: Any) -> bytes:
    return json.dumps(value).replace("/", "\\/").encode()


WRITERS: list[Any] = [canonical_json, lambda value: json.dumps(value, indent=2).encode(), php_json]


@pytest.mark.parametrize(("kind", "text"), CHANGING)
def test_what_changes_is_found_and_nothing_beside_it(kind: VolatileKind, text: str) -> None:
    expected = pieces(text)
    request_ = system(MARKS.sub("", text))
    for writer in WRITERS:
        body = writer(request_)
        found = find_volatile(body, api="invoke", prefix_length=4_096, redact=False)
        assert [(each.kind, each.text, each.path) for each in found] == [
            (kind, piece, "messages[0].content") for piece in expected
        ]
    found = find_volatile(request_, api="openai", prefix_length=4_096, redact=False)
    assert [(each.kind, each.text) for each in found] == [(kind, piece) for piece in expected]
    for each in found:
        assert MARKS.sub("", text)[each.offset :].startswith(each.text)


@pytest.mark.parametrize("text", FIXED)
def test_what_stays_raises_no_alarm(text: str) -> None:
    for writer in WRITERS:
        assert not find_volatile(writer(system(text)), api="invoke", prefix_length=4_096, redact=False)
    assert not find_volatile(system(text), api="openai", prefix_length=4_096, redact=False)


def test_the_corpus_is_large_and_says_each_thing_once() -> None:
    assert len({text for _, text in CHANGING}) == len(CHANGING) >= 90
    assert len(set(FIXED)) == len(FIXED) >= 90
    assert {kind for kind, _ in CHANGING} == set(VolatileKind)


def test_fixed_texts_in_one_prompt_raise_no_alarm_either() -> None:
    for separator in ("\n", "\n- ", " | "):
        assert not find_volatile(system(separator.join(FIXED)), api="openai", prefix_length=65_536, redact=False)


def spans_of_every_place(text: str, *, is_known_to_change: bool) -> list[Span]:
    """What ``volatile_spans`` finds, by trying each pattern everywhere."""
    found: list[Span] = []
    taken: set[int] = set()
    for kind, _, pattern in (*_PATTERNS, *_HEX_PATTERNS):
        for match in pattern.finditer(text):
            start, end = match.span("id" if match.lastgroup == "id" else 0)
            if taken.isdisjoint(range(start, end)):
                taken |= set(range(start, end))
                seen = K.TIME if match.lastgroup == "clock" else kind
                if is_known_to_change or not is_fixed(text, start, end, seen):
                    found.append(Span(start, end, seen))
    return sorted(found)


@given(
    st.lists(st.sampled_from([MARKS.sub("", text) for _, text in CHANGING] + FIXED), max_size=6),
    st.sampled_from(["", " ", "\n", " " * 200]),
    st.booleans(),
)
def test_a_search_near_signs_misses_nothing(texts: list[str], separator: str, is_known_to_change: bool) -> None:
    text = separator.join(texts)
    assert volatile_spans(text, is_known_to_change=is_known_to_change) == spans_of_every_place(
        text, is_known_to_change=is_known_to_change
    )
