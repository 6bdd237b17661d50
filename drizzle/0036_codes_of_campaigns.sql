-- One-time codes must not rest in clear: what campaigns with templates that carry them held of their recipients is forgotten.
UPDATE `campaign_recipients` SET `params` = NULL
WHERE `params` IS NOT NULL AND (`organization_id`, `campaign_id`) IN (
	SELECT c.`organization_id`, c.`id` FROM `campaigns` c
	JOIN `templates` t ON t.`organization_id` = c.`organization_id` AND t.`id` = c.`template_id`
	WHERE t.`category` = 'AUTHENTICATION'
);
--> statement-breakpoint
UPDATE `campaigns` SET `default_params` = '{}', `variable_mapping` = '{}'
WHERE (`organization_id`, `template_id`) IN (SELECT `organization_id`, `id` FROM `templates` WHERE `category` = 'AUTHENTICATION');
