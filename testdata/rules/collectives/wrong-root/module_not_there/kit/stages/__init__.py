"""Stages of the model; what lays them out as a grid was left behind."""
