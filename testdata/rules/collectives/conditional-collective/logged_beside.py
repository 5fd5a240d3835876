"""One rank adds an entry to log it; what a setting names is another one."""
import torch.distributed as dist


class Loop:
    def evaluate(self, report):
        reports = [None] * dist.get_world_size()
        dist.all_gather_object(reports, report)
        return self.merged(reports)

    def validate(self, settings, report):
        report = self.evaluate(report)
        if settings["log"] and dist.get_rank() == 0:
            report["seen"] = self.seen
            self.logger.log(report)
        if report[settings["metric"]] > self.best:
            dist.barrier()

    def validate_by_what_was_logged(self, report):
        report = self.evaluate(report)
        report["seen"] = 0
        if dist.get_rank() == 0:
            report["seen"] = self.seen
        if report["seen"] > self.limit:
            dist.barrier()  # error: [conditional-collective]

    def each_entry(self, report):
        report = self.evaluate(report)
        if dist.get_rank() == 0:
            report["seen"] = self.seen
        for name in report:
            if report[name] > self.limit:
                dist.barrier()  # error: [conditional-collective, divergent-loop]

    def by_another_report(self, settings, report):
        report = self.evaluate(report)
        if dist.get_rank() == 0:
            report = self.reported()
            report["seen"] = self.seen
        if report[settings["metric"]] > self.best:
            dist.barrier()  # error: [conditional-collective]
