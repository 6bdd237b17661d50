CREATE TABLE `job_schedules` (
	`name` text PRIMARY KEY NOT NULL,
	`slot_ms` integer NOT NULL,
	`job_id` text,
	`last_run_at_ms` integer,
	`last_outcome` text,
	CONSTRAINT "job_schedules_outcome" CHECK("job_schedules"."last_outcome" is null or "job_schedules"."last_outcome" in ('completed', 'scheduled', 'retryable', 'cancelled', 'discarded')),
	CONSTRAINT "job_schedules_run" CHECK(("job_schedules"."last_outcome" is null) = ("job_schedules"."last_run_at_ms" is null))
) STRICT;
--> statement-breakpoint
PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`lane` text NOT NULL,
	`state` text NOT NULL,
	`organization_id` text NOT NULL,
	`args` text NOT NULL,
	`serial_key` text,
	`gate_key` text DEFAULT '' NOT NULL,
	`priority` integer DEFAULT 2 NOT NULL,
	`is_behind` integer DEFAULT false NOT NULL,
	`unique_key` text,
	`attempt` integer DEFAULT 0 NOT NULL,
	`max_attempts` integer NOT NULL,
	`scheduled_at_ms` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	`first_attempted_at_ms` integer,
	`attempted_at_ms` integer,
	`finished_at_ms` integer,
	`lease_until_ms` integer,
	`errors` text DEFAULT '[]' NOT NULL,
	CONSTRAINT "jobs_state" CHECK("__new_jobs"."state" in ('scheduled', 'available', 'executing', 'retryable', 'completed', 'cancelled', 'discarded')),
	CONSTRAINT "jobs_priority" CHECK("__new_jobs"."priority" between 1 and 3),
	CONSTRAINT "jobs_attempt" CHECK("__new_jobs"."attempt" >= 0),
	CONSTRAINT "jobs_attempted" CHECK("__new_jobs"."state" not in ('executing', 'retryable', 'completed') or ("__new_jobs"."attempt" > 0 and "__new_jobs"."attempted_at_ms" is not null)),
	CONSTRAINT "jobs_lease" CHECK(("__new_jobs"."state" = 'executing') = ("__new_jobs"."lease_until_ms" is not null)),
	CONSTRAINT "jobs_finished" CHECK(("__new_jobs"."state" in ('completed', 'cancelled', 'discarded')) = ("__new_jobs"."finished_at_ms" is not null))
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_jobs`("id", "kind", "lane", "state", "organization_id", "args", "serial_key", "gate_key", "priority", "is_behind", "unique_key", "attempt", "max_attempts", "scheduled_at_ms", "created_at_ms", "first_attempted_at_ms", "attempted_at_ms", "finished_at_ms", "lease_until_ms", "errors") SELECT "id", "kind", "lane", "state", "organization_id", "args", "serial_key", "gate_key", 2, 0, "unique_key", "attempt", "max_attempts", "scheduled_at_ms", "created_at_ms", "first_attempted_at_ms", "attempted_at_ms", "finished_at_ms", "lease_until_ms", "errors" FROM `jobs`;--> statement-breakpoint
DROP TABLE `jobs`;--> statement-breakpoint
ALTER TABLE `__new_jobs` RENAME TO `jobs`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `jobs_available` ON `jobs` (`lane`,`organization_id`,`gate_key`,`priority`,`id`) WHERE "jobs"."state" = 'available' and "jobs"."is_behind" = 0;--> statement-breakpoint
CREATE INDEX `jobs_behind` ON `jobs` (`serial_key`,`gate_key`,`id`) WHERE "jobs"."is_behind" = 1;--> statement-breakpoint
CREATE INDEX `jobs_due` ON `jobs` (`scheduled_at_ms`) WHERE "jobs"."state" in ('scheduled', 'retryable');--> statement-breakpoint
CREATE INDEX `jobs_leased` ON `jobs` (`lease_until_ms`) WHERE "jobs"."state" = 'executing';--> statement-breakpoint
CREATE INDEX `jobs_serial` ON `jobs` (`serial_key`,`id`) WHERE "jobs"."serial_key" is not null and "jobs"."state" in ('scheduled', 'available', 'executing', 'retryable');--> statement-breakpoint
CREATE INDEX `jobs_serial_executing` ON `jobs` (`serial_key`,`gate_key`) WHERE "jobs"."serial_key" is not null and "jobs"."state" = 'executing';--> statement-breakpoint
CREATE UNIQUE INDEX `jobs_unique` ON `jobs` (`unique_key`) WHERE "jobs"."unique_key" is not null;--> statement-breakpoint
CREATE INDEX `jobs_list` ON `jobs` (`organization_id`,`id`,`state`);--> statement-breakpoint
CREATE INDEX `jobs_ended` ON `jobs` (`state`,`finished_at_ms`) WHERE "jobs"."finished_at_ms" is not null;--> statement-breakpoint
CREATE TRIGGER `jobs_transition` BEFORE UPDATE OF `state` ON `jobs`
WHEN old.`state` <> new.`state` AND NOT (
	old.`state` = 'executing'
	OR (old.`state` IN ('scheduled', 'retryable') AND new.`state` IN ('available', 'cancelled', 'discarded'))
	OR (old.`state` = 'available' AND new.`state` IN ('executing', 'cancelled', 'discarded'))
	OR (old.`state` IN ('cancelled', 'discarded') AND new.`state` = 'available')
)
BEGIN
	SELECT raise(ABORT, 'CHECK constraint failed: a job does not go from that state to this one');
END;--> statement-breakpoint
CREATE TRIGGER `jobs_moved` AFTER UPDATE OF `state` ON `jobs`
WHEN old.`serial_key` IS NOT NULL AND old.`state` <> new.`state` AND old.`state` IN ('available', 'executing') AND new.`state` <> 'executing'
BEGIN
	UPDATE `jobs` SET `is_behind` = 0 WHERE `id` = new.`id` AND `is_behind` = 1;
	UPDATE `jobs` SET `is_behind` = 0 WHERE `id` = (
		SELECT `id` FROM `jobs` WHERE `serial_key` = old.`serial_key` AND `gate_key` = old.`gate_key` AND `is_behind` = 1 ORDER BY `id` LIMIT 1
	);
END;--> statement-breakpoint
CREATE TRIGGER `jobs_gone` AFTER DELETE ON `jobs`
WHEN old.`serial_key` IS NOT NULL AND old.`state` IN ('available', 'executing')
BEGIN
	UPDATE `jobs` SET `is_behind` = 0 WHERE `id` = (
		SELECT `id` FROM `jobs` WHERE `serial_key` = old.`serial_key` AND `gate_key` = old.`gate_key` AND `is_behind` = 1 ORDER BY `id` LIMIT 1
	);
END;
