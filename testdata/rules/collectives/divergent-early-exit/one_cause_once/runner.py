"""Who starts the processes knows where the rank comes from, and has no finding of its own either."""
from absl import app, flags

from helpers.log_dir import log_dir
from helpers.setups import init, setup

FLAGS = flags.FLAGS
IS_DISTRIBUTED, RANK = setup()


def main(_):
    if FLAGS.framework == "pytorch":
        init(IS_DISTRIBUTED, RANK)
    path = log_dir(FLAGS.path, FLAGS.resumes, FLAGS.overwrites)


if __name__ == "__main__":
    app.run(main)
