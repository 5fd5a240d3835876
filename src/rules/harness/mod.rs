//! The runner cannot hang either: how jobs are started, bounded and ended.

mod dead_timeout_setting;
mod ignored_exit_status;
mod init_without_timeout;
mod launch_without_process_group;
mod launch_without_timeout;
mod launches;
mod missing_destroy;
mod oversized_time_out;
mod sleep_as_synchronisation;

pub use dead_timeout_setting::RULE as DEAD_TIMEOUT_SETTING;
pub use ignored_exit_status::RULE as IGNORED_EXIT_STATUS;
pub use init_without_timeout::RULE as INIT_WITHOUT_TIMEOUT;
pub use launch_without_process_group::RULE as LAUNCH_WITHOUT_PROCESS_GROUP;
pub use launch_without_timeout::RULE as LAUNCH_WITHOUT_TIMEOUT;
pub use missing_destroy::RULE as MISSING_DESTROY;
pub use oversized_time_out::RULE as OVERSIZED_TIME_OUT;
pub use sleep_as_synchronisation::RULE as SLEEP_AS_SYNCHRONISATION;
