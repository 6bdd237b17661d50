import type { Deps } from '../../../../infra/ctx'

const MAX_FAILED = 1_000

/**
 * Counts the jobs of all organizations that were given up after their last attempt, up to 1,000. A
 * person who discarded one knows.
 */
export const countFailed = ({ db }: Pick<Deps, 'db'>): number =>
  db.sqlite
    .query<{ n: number }, [number]>(
      "select count(*) as n from (select 1 from jobs where state = 'discarded' and finished_at_ms is not null and json_extract(errors, '$[#-1].by_person') is null limit ?)",
    )
    .get(MAX_FAILED)?.n ?? 0
