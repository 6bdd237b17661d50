DROP TRIGGER `membership_counts_added`;--> statement-breakpoint
DROP TRIGGER `membership_counts_changed`;--> statement-breakpoint
DROP TRIGGER `membership_counts_removed`;--> statement-breakpoint
DROP TRIGGER `membership_texts_added`;--> statement-breakpoint
DROP TRIGGER `membership_texts_changed`;--> statement-breakpoint
DROP TRIGGER `membership_texts_removed`;--> statement-breakpoint
DROP TRIGGER `invitation_counts_added`;--> statement-breakpoint
DROP TRIGGER `invitation_counts_changed`;--> statement-breakpoint
DROP TRIGGER `invitation_counts_removed`;--> statement-breakpoint
DROP TRIGGER `invitation_texts_added`;--> statement-breakpoint
DROP TRIGGER `invitation_texts_came`;--> statement-breakpoint
DROP TRIGGER `invitation_texts_left`;--> statement-breakpoint
DROP TRIGGER `invitation_texts_removed`;--> statement-breakpoint
DROP TABLE `invitation_counts`;--> statement-breakpoint
DROP TABLE `invitation_texts`;--> statement-breakpoint
DROP TABLE `membership_counts`;--> statement-breakpoint
DROP TABLE `membership_texts`;--> statement-breakpoint
DROP INDEX `invitations_state`;