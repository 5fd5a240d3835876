"""Results that all write, where something else is for the first one alone; and files that only that one fills."""
import json

from accelerate import Accelerator


def main(arguments, model, evaluate):
    accelerator = Accelerator()
    model = accelerator.prepare(model)
    generated = model.generate(arguments.prompts)
    if accelerator.is_main_process:
        with open(arguments.generated, "w") as file:
            json.dump(generated, file)
    results = json.dumps(evaluate(generated))
    with open(arguments.results, "w") as file:  # error: [write-race]
        file.write(results)


def generate(arguments, model, prompts):
    accelerator = Accelerator()
    model = accelerator.prepare(model)
    with open(arguments.generated, "w") as file:  # low: [write-race]
        for prompt in prompts:
            answer = accelerator.gather(model(prompt))
            if accelerator.is_main_process:
                file.write(json.dumps(answer))


def predict(arguments, model, prompts):
    accelerator = Accelerator()
    model = accelerator.prepare(model)
    with open(arguments.predictions, "w") as file:  # error: [write-race]
        if accelerator.is_main_process:
            file.write("label\n")
        for prompt in prompts:
            answer = accelerator.gather(model(prompt))
            if accelerator.is_main_process:
                file.write(json.dumps(answer))
