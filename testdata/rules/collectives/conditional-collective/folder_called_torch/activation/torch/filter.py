def low_pass(signal):
    return signal
