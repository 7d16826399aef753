"""`run.py` is a program that needs atheris; pytest must not import it to look for examples."""

collect_ignore = ["run.py"]
