"""The attacks that come with anonaudit, one module each.

They are found through entry points, like the attacks of other packages.
"""
