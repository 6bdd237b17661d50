CREATE TRIGGER jobs_deleted AFTER DELETE ON jobs
WHEN old.ordering_key IS NOT NULL AND old.state IN ('scheduled', 'available', 'executing', 'retryable')
BEGIN
	UPDATE jobs SET is_blocked = 0 WHERE id = (
		SELECT id FROM jobs WHERE ordering_key = old.ordering_key AND gate_key = old.gate_key AND is_blocked = 1 ORDER BY id LIMIT 1
	);
END;

CREATE TRIGGER jobs_state_changed AFTER UPDATE OF state ON jobs
WHEN old.ordering_key IS NOT NULL AND old.state <> new.state AND (
	(old.state IN ('available', 'executing') AND new.state <> 'executing')
	OR (old.state IN ('scheduled', 'retryable') AND new.state <> 'available')
)
BEGIN
	UPDATE jobs SET is_blocked = 0 WHERE id = new.id AND is_blocked = 1;
	UPDATE jobs SET is_blocked = 0 WHERE id = (
		SELECT id FROM jobs WHERE ordering_key = old.ordering_key AND gate_key = old.gate_key AND is_blocked = 1 ORDER BY id LIMIT 1
	);
END;

CREATE TRIGGER jobs_transition BEFORE UPDATE OF state ON jobs
WHEN old.state <> new.state AND NOT (
	old.state = 'executing'
	OR (old.state IN ('scheduled', 'retryable') AND new.state IN ('available', 'cancelled', 'discarded'))
	OR (old.state = 'available' AND new.state IN ('executing', 'cancelled', 'discarded'))
	OR (old.state IN ('cancelled', 'discarded') AND new.state = 'available')
)
BEGIN
	SELECT raise(ABORT, 'CHECK constraint failed: a job does not go from that state to this one');
END;
