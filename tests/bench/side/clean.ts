import { dirname, join } from 'node:path'

import { readConfig } from '../../../src/config'
import { createProgram, machine, filesOf, platformOf } from '../../../src/container'
import { openSecrets } from '../../../src/secrets'
import { systemClock } from '../../../src/lib/clock'
import { openDb } from '../../../src/infra/db/connection'
import { openLog } from '../../../src/infra/log'
import { systemCtx } from '../../../src/infra/ctx'
import { pruneOldData } from '../../../src/modules/operation/system/prune'
import { SECRET_KEY } from './rig'

/**
 * Deletes what is too old from a database as the server does every quarter of an hour, until
 * nothing is left to delete, as if so much time had passed.
 */
export async function clean(path: string, laterMs: number): Promise<void> {
  const config = readConfig({
    SECRET_KEY,
    APP_SECRET: 'secret-of-nobody',
    WEBHOOK_VERIFY_TOKEN: 'token-of-nobody',
    DATA_DIR: dirname(path),
  })
  const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + laterMs }
  const db = openDb(path, { synchronous: 'normal', cacheMib: 256 })
  const dir = { path: dirname(path), databasePath: path }
  const program = createProgram(
    config,
    openSecrets(config, dir as never, { wasUsed: false, isServer: false }),
    {
      ...machine(),
      clock,
      log: openLog({ level: 'error', format: 'json' }),
      db,
      platform: platformOf(config, clock),
      files: filesOf({ path: join(dir.path, 'files') }),
    },
    null,
  )
  const changes = (): number =>
    db.sqlite.query<{ n: number }, []>('select total_changes() as n').get()?.n ?? 0
  const ctx = { ...systemCtx(program.http, ''), signal: new AbortController().signal }
  for (let before = -Infinity; changes() - before > FEW;) {
    before = changes()
    await pruneOldData(ctx)
  }
  db.sqlite.run('pragma wal_checkpoint(truncate)')
  db.sqlite.close()
}

/** A round that changes no more than this has deleted nothing. */
const FEW = 20
