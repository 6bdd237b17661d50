import { enqueue } from '../../../infra/jobs/enqueue'
import { work, workInTransaction } from '../../../infra/jobs/work'
import { clearValuesIn } from './attributes/clear-values'
import { blockOnPlatform } from './block'
import { BlockOnPlatform, ClearAttribute } from './jobs'

export const contactWorkers = [
  work(BlockOnPlatform, (ctx, at) => blockOnPlatform(ctx, at)),

  workInTransaction(ClearAttribute, (tx, ctx, { key, after }) => {
    const next = clearValuesIn(tx, ctx, { key, after })
    if (next !== null) enqueue(tx, ctx, ClearAttribute, { args: { key, after: next } })
  }),
]
