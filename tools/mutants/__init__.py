"""Faults planted in the code, one at a time: do the tests of the module that has it find it?"""
