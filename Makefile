# Every command runs in the project's environment, which scripts/env sets up at the first call.

ENV := scripts/env

# make run
ROBOT ?=
PORT ?=
INTERFACE ?=
NAMESPACE ?=
CONFIG ?=
WORLD ?=
VIEW ?=
HARDWARE ?=
BEHAVIOR ?=
VISION ?=
LOCALIZATION ?=
TAG_MAP ?=
MANIPULATION ?=
COCKPIT ?= 1
ARGS ?=
RUN_ARGS = $(if $(ROBOT),--robot $(ROBOT)) $(if $(PORT),--port $(PORT)) \
  $(if $(INTERFACE),--network-interface $(INTERFACE)) $(if $(NAMESPACE),--namespace $(NAMESPACE)) \
  $(if $(CONFIG),--config $(CONFIG)) $(if $(WORLD),--world $(WORLD)) $(if $(VIEW),--view $(VIEW)) \
  $(if $(HARDWARE),--hardware $(HARDWARE)) $(if $(BEHAVIOR),--behavior) \
  $(if $(VISION),--vision) $(if $(LOCALIZATION),--localization) $(if $(TAG_MAP),--tag-map $(TAG_MAP)) \
  $(if $(MANIPULATION),--manipulation) \
  $(if $(filter-out 0,$(COCKPIT)),--cockpit $(filter-out 1,$(COCKPIT))) $(ARGS)

# make fuzz
SECONDS ?=
TARGET ?=

# make test
TESTS ?=
# More than there are cores: many tests wait for a robot.
JOBS ?= 4

.DEFAULT_GOAL := help
.PHONY: help setup run test pytest lint format docs site assets bench day soak fuzz clean

help: ## this list
	@echo "make run [ROBOT=172.31.1.1] [PORT=5551] [INTERFACE=wlan1] [NAMESPACE=name] [CONFIG=file]"
	@echo "make run WORLD=maze [VIEW=folder] [HARDWARE=1.0]"
	@echo "make run BEHAVIOR=1, with the personality; VISION=1, with perception; MANIPULATION=1, with manipulation"
	@echo "make run WORLD=landmarks LOCALIZATION=1 [TAG_MAP=file], knows where it is by printed tags"
	@echo "make run COCKPIT=0.0.0.0, the page for telephones too; COCKPIT=0 without it"
	@echo "make test [TESTS='test/link -k loss']"
	@echo
	@sed -n 's/^\([a-z]*\): *## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 12
	@echo
	@echo "Any other command: scripts/env COMMAND..."

setup: ## make the environment, as far as it is missing or out of date
	@$(ENV) true

run: ## driver, robot_state_publisher and the cockpit, with the emulator unless ROBOT is given
	@$(ENV) bringup $(RUN_ARGS)

test: setup ## lint, types, every test
	@$(MAKE) --no-print-directory --jobs=2 lint pytest

pytest:
	@$(ENV) pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder $(TESTS)

lint: ## style, format and types
	@$(ENV) ruff check .
	@$(ENV) ruff format --check .
	@$(ENV) mypy
	@$(ENV) mypy examples/python/*.py

format: ## put the sources into the house's format
	@$(ENV) ruff check --fix .
	@$(ENV) ruff format .

docs: ## rewrite the generated pages and diagrams of docs/
	@$(ENV) python -m docs.interface
	@$(ENV) python -m docs.protocol
	@$(ENV) python -m docs.commands
	@$(ENV) python -m docs.assumptions
	@$(ENV) python -m docs.diagrams

site: ## the documents as a web site: build/site/index.html
	@$(ENV) python -m sphinx -q -W --keep-going -b html docs build/site
	@echo "build/site/index.html"

assets: ## make the built-in clips of their scores, and the filmstrips in docs/images
	@$(ENV) python -m scores assets/scores assets
	@$(ENV) python -m docs.render_clips

bench: ## measure, side by side with PyCozmo
	@$(ENV) python -m benchmarks $(ARGS)

day: ## a day of the personality in virtual time, drawn: ARGS='--hours 6 --seed 3'
	@$(ENV) python -m benchmarks.day $(ARGS)

soak: ## ten minutes of everything at once over a bad link: ARGS='--minutes 3'
	@$(ENV) python -m benchmarks.soak $(ARGS)

fuzz: ## feed every reader with damage: each for 60 s, SECONDS=10 TARGET=world ARGS='--count'
	@$(ENV) python -m test.fuzz $(if $(SECONDS),--seconds $(SECONDS)) \
	  $(if $(TARGET),--target $(TARGET)) $(ARGS)

clean: ## remove everything that was made here
	@rm -rf .venv build install log .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
