# Every command runs in the project's environment, which scripts/env sets up at the first call.

ENV := scripts/env

# make run
ROBOT ?=
PORT ?=
INTERFACE ?=
NAMESPACE ?=
CONFIG ?=
ARGS ?=
RUN_ARGS = $(if $(ROBOT),--robot $(ROBOT)) $(if $(PORT),--port $(PORT)) \
  $(if $(INTERFACE),--network-interface $(INTERFACE)) $(if $(NAMESPACE),--namespace $(NAMESPACE)) \
  $(if $(CONFIG),--config $(CONFIG)) $(ARGS)

# make test
TESTS ?=

.DEFAULT_GOAL := help
.PHONY: help setup run test lint format bench clean

help: ## this list
	@echo "make run [ROBOT=172.31.1.1] [PORT=5551] [INTERFACE=wlan1] [NAMESPACE=name] [CONFIG=file]"
	@echo "make test [TESTS='test/link -k loss']"
	@echo
	@sed -n 's/^\([a-z]*\): *## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 12
	@echo
	@echo "Any other command: scripts/env COMMAND..."

setup: ## make the environment, as far as it is missing or out of date
	@$(ENV) true

run: ## driver and robot_state_publisher, with the emulator unless ROBOT is given
	@$(ENV) bringup $(RUN_ARGS)

test: ## lint, types, every test
	@$(MAKE) --no-print-directory lint
	@$(ENV) pytest $(TESTS)

lint: ## style, format and types
	@$(ENV) ruff check .
	@$(ENV) ruff format --check .
	@$(ENV) mypy

format: ## put the sources into the house's format
	@$(ENV) ruff check --fix .
	@$(ENV) ruff format .

bench: ## measure, side by side with PyCozmo
	@$(ENV) python -m benchmarks $(ARGS)

clean: ## remove everything that was made here
	@rm -rf .venv build install log .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
