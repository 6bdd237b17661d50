import { desc, eq } from 'drizzle-orm'

import type { Page } from '../../../../lib/page'
import type { Ctx } from '../../../../infra/ctx'
import { of } from '../../../../infra/scoped'
import type { WorkView } from './model'
import { works } from './table'
import { workView } from './view'

/**
 * Returns a page of the work that the caller asked for, newest first. `running` selects only what is
 * under way.
 */
export const listWork = (
  ctx: Ctx,
  { running, ...query }: { page: number; limit: number; running?: boolean | undefined },
): Page<WorkView> =>
  of(ctx, works).page(query, {
    where: [
      eq(works.userId, ctx.actor.userId ?? ''),
      running === true ? { endedAtMs: null } : undefined,
    ],
    order: [desc(works.startedAtMs), desc(works.id)],
    views: (rows) => rows.map(workView),
  })
