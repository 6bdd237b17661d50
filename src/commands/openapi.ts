import { Database } from 'bun:sqlite'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'

import { createApp } from '../app'
import { readConfig } from '../config'
import { createProgram, filesOf, machine, platformOf } from '../container'
import { wrapDb } from '../infra/db/connection'
import type { OpenApiDocument } from '../http/openapi/document'
import { openLog } from '../infra/log'
import { migrate } from '../infra/db/migrate'
import { printJson } from '../lib/print-json'
import { textOf, type Command } from './command'

/** Returns the OpenAPI document. Needs no data folder, because it depends on the routes only. */
export async function describeApi(): Promise<OpenApiDocument> {
  const config = readConfig({
    LOG_LEVEL: 'error',
    SECRET_KEY: 'ab'.repeat(32),
    APP_SECRET: 'unused-here',
    WEBHOOK_VERIFY_TOKEN: 'unused-here',
  })
  const around = machine()
  const db = wrapDb(new Database(':memory:', { strict: true }), {
    synchronous: 'normal',
    cacheMib: 2,
  })
  migrate(db.sqlite, { clock: around.clock })
  const secrets = {
    roots: { current: config.secretKey ?? Buffer.alloc(32), previous: null },
    webhookVerifyToken: '',
    appSecrets: [],
  }
  const log = openLog({ level: 'error', format: 'json' })
  const program = createProgram(
    config,
    secrets,
    {
      ...around,
      log,
      db,
      platform: platformOf(config, around.clock),
      files: filesOf({ path: tmpdir() }),
    },
    null,
  )
  return await createApp(program).describe()
}

/** Writes the OpenAPI document. */
export const openapi: Command = {
  name: 'openapi',
  forms: [['openapi [--out FILE]', 'write the OpenAPI document']],
  flags: { out: { type: 'string' } },
  words: 0,
  async run({ flags }) {
    const text = printJson(await describeApi())
    const out = textOf(flags, 'out')
    if (out === undefined) process.stdout.write(text)
    else writeFileSync(out, text)
  },
}
