class Brain:
    def __init__(self, modules=None, checkpointer=None, meter=None):
        self.modules = modules
        self.checkpointer = checkpointer
        self.meter = meter

    def fit(self, epochs):
        for epoch in epochs:
            self.on_stage_end(epoch)

    def on_stage_end(self, epoch):
        pass
