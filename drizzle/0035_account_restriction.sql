ALTER TABLE `accounts` ADD `restricted_at_ms` integer;--> statement-breakpoint
UPDATE `accounts` SET `restricted_at_ms` = coalesce(json_extract(`announcements`, '$.account_update.at_ms'), `updated_at_ms`)
WHERE CASE json_extract(`announcements`, '$.account_update.value.event')
	WHEN 'ACCOUNT_RESTRICTION' THEN coalesce(json_extract(`announcements`, '$.account_update.value.restriction_info'), 'MESSAGING') LIKE '%MESSAGING%'
	ELSE `restricted_until_ms` IS NOT NULL
END;
