import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

import { createApp } from './app'
import { ConfigError, readConfig, type Config } from './config'
import { createProgram, hasOwnAppSecret, KeyError, machine, migrateWithBackup, openSecrets, platformOf, type Program } from './container'
import { DataDirError, lockDataDir, openDataDir } from './infra/storage-dir'
import { DatabaseError, openDb, wrapDb, type Db } from './infra/db'
import { INSTALLATION, systemCtx } from './infra/ctx'
import { discardJob, listJobs, retryJob } from './infra/jobs/inspect'
import { openLog } from './infra/log'
import { migrate, MigrationError, migrationStatus } from './infra/migrate'
import { WrongKeyError } from './modules/accounts/secrets-check'
import { JOB_STATES } from './modules/system/model'
import { jobView } from './modules/system/jobs-view'
import { FirstAdminError } from './modules/users/first-start'
import { ListenError, startServer, stopOnSignal, type FirstLogin, type RunningServer } from './server'
import { VERSION } from './version'
import { Database } from 'bun:sqlite'

const HELP = `switchboard ${VERSION}

Usage: switchboard [command] [flags]

  serve [--no-migrate]          migrate, listen and work (default)
  migrate [--status]            bring the database to the present schema, or say where it stands
  webhook                       callback address, verify token and state of the app secret
  jobs list [--state STATE]     background work
  jobs retry ID                 run a job again now
  jobs discard ID               give a waiting job up
  openapi [--out FILE]          write the OpenAPI document
  version                       version of the program
  help                          this text

Every command takes --json for machine-readable output. Settings are environment variables; the README lists them.
`

/** The command line was not understood: exit code 2, help on standard error. */
class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Errors whose message is one sentence for the operator. */
const SENTENCES = [DataDirError, DatabaseError, MigrationError, KeyError, WrongKeyError, FirstAdminError, ListenError]

interface Arguments {
  words: string[]
  flags: { status: boolean; json: boolean; migrates: boolean; out: string | undefined; state: string | undefined }
}

function readArguments(argv: string[]): Arguments {
  try {
    const { values, positionals } = parseArgs({
      args: argv,
      allowPositionals: true,
      options: {
        status: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
        'no-migrate': { type: 'boolean', default: false },
        out: { type: 'string' },
        state: { type: 'string' },
      },
    })
    return {
      words: values.help ? ['help'] : positionals,
      flags: { status: values.status, json: values.json, migrates: !values['no-migrate'], out: values.out, state: values.state },
    }
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'the arguments are not understood')
  }
}

const say = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

/** How many words a known command takes at most, itself included. */
const MOST_WORDS: Record<string, number> = { serve: 1, migrate: 1, webhook: 1, jobs: 3, openapi: 1, version: 1, help: 1 }

async function run(argv: string[]): Promise<void> {
  const { words, flags } = readArguments(argv)
  const [command = 'serve', verb, id] = words
  const surplus = words[MOST_WORDS[command] ?? words.length]
  if (surplus !== undefined) throw new UsageError(`the command ${command} takes no ${surplus}`)
  switch (command) {
    case 'serve':
      return await serve(readConfig(process.env), flags)
    case 'migrate':
      return migrateCommand(readConfig(process.env), flags)
    case 'webhook':
      return webhookCommand(readConfig(process.env), flags)
    case 'jobs':
      return jobsCommand(readConfig(process.env), { verb: verb ?? 'list', id, flags })
    case 'openapi':
      return await openapiCommand(flags)
    case 'version':
      return say(flags.json ? JSON.stringify({ version: VERSION }) : VERSION)
    case 'help':
      return say(HELP)
    default:
      throw new UsageError(`there is no command ${command}`)
  }
}

async function serve(config: Config, flags: Arguments['flags']): Promise<void> {
  // Signals count from the first moment on; a server that is still starting is stopped as soon as it runs.
  const running = Promise.withResolvers<RunningServer>()
  stopOnSignal(async () => (await running.promise).stop())
  const server = await startServer(config, { tell: tellFirstLogin, migrates: flags.migrates })
  running.resolve(server)
  const local = `http://localhost:${server.port}`
  say(
    `\nSwitchboard ${VERSION} is ready.\n  API       ${local}/api\n  Docs      ${local}/docs\n  Socket    ws://localhost:${server.port}/ws\n  Webhooks  ${config.baseUrl}/api/webhook  (verify token and app secret: command "webhook")\n`,
  )
}

/** The one time the password is shown: to standard output, never to the log. */
function tellFirstLogin({ email, password }: FirstLogin): void {
  say(
    `\nFirst start: an organization and a super admin were created.\n  E-mail    ${email}\n  Password  ${password ?? '(the one in ADMIN_PASSWORD)'}\n${password === null ? '' : '  This password is shown once. Change it after signing in.\n'}`,
  )
}

function migrateCommand(config: Config, flags: Arguments['flags']): void {
  const dir = openDataDir(config.dataDir)
  const { clock } = machine()
  if (flags.status) {
    const db = openDb(dir.databasePath, { synchronous: config.dbSynchronous, cacheMib: config.dbCacheMib })
    const { applied, pending } = migrationStatus(db.sqlite)
    const status = { applied: applied.map(({ tag }) => tag), pending: pending.map(({ tag }) => tag) }
    say(
      flags.json
        ? JSON.stringify(status)
        : `applied: ${status.applied.join(', ') || 'none'}\npending: ${status.pending.join(', ') || 'none'}`,
    )
    return
  }
  const lock = lockDataDir(dir)
  const db = openDb(dir.databasePath, { synchronous: config.dbSynchronous, cacheMib: config.dbCacheMib })
  const applied = migrateWithBackup(db, dir, clock)
  lock.release()
  say(flags.json ? JSON.stringify({ applied }) : applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}`)
}

function webhookCommand(config: Config, flags: Arguments['flags']): void {
  const dir = openDataDir(config.dataDir)
  const secrets = openSecrets(config, dir)
  const facts = {
    callback_url: `${config.baseUrl}/api/webhook`,
    verify_token: secrets.webhookVerifyToken,
    app_secret: hasOwnAppSecret(config, dir) ? 'made here (set APP_SECRET to the one of your platform app)' : 'set',
  }
  say(
    flags.json
      ? JSON.stringify(facts)
      : `Callback URL  ${facts.callback_url}\nVerify token  ${facts.verify_token}\nApp secret    ${facts.app_secret}`,
  )
}

/** A program on the installation's database, for commands that work beside the server. */
function openBeside(config: Config): { program: Program; db: Db } {
  const dir = openDataDir(config.dataDir)
  const db = openDb(dir.databasePath, { synchronous: config.dbSynchronous, cacheMib: config.dbCacheMib })
  if (migrationStatus(db.sqlite).pending.length > 0) throw new MigrationError('The database is not up to date; run "migrate" first.')
  return { program: programOn(config, db, dir.path), db }
}

function programOn(config: Config, db: Db, dataDir: string): Program {
  const around = machine()
  const log = openLog({ level: 'error', format: config.logFormat })
  return createProgram(
    config,
    openSecrets(config, openDataDir(dataDir)),
    { ...around, log, db, platform: platformOf(config, around.clock) },
    null,
  )
}

function jobsCommand(config: Config, what: { verb: string; id: string | undefined; flags: Arguments['flags'] }): void {
  const { verb, id, flags } = what
  const state = JOB_STATES.find((known) => known === flags.state)
  if (flags.state !== undefined && state === undefined) throw new UsageError(`--state is one of ${JOB_STATES.join(', ')}`)
  if (!['list', 'retry', 'discard'].includes(verb)) throw new UsageError(`there is no command jobs ${verb}`)
  if (verb !== 'list' && id === undefined) throw new UsageError(`jobs ${verb} needs the id of a job`)
  const { program, db } = openBeside(config)
  const ctx = systemCtx(program.http, INSTALLATION)
  const rows =
    verb === 'list'
      ? listJobs(ctx, { state, isWholeInstallation: true }, { limit: 100, offset: 0, before: null })
      : [
          verb === 'retry'
            ? retryJob(ctx, id ?? '')
            : discardJob(ctx, program.registry.jobs, { id: id ?? '', reason: 'discarded on the command line' }),
        ]
  const views = rows.map(jobView)
  if (flags.json) say(JSON.stringify(views))
  else
    say(
      table(
        ['id', 'kind', 'state', 'attempt', 'last error'],
        views.map((job) => [job.id, job.kind, job.state, `${job.attempt}/${job.max_attempts}`, job.last_error ?? '']),
      ),
    )
  db.sqlite.close()
}

function table(head: string[], rows: string[][]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Needs no data folder: the document depends on the routes alone. */
async function openapiCommand(flags: Arguments['flags']): Promise<void> {
  const config = readConfig({
    LOG_LEVEL: 'error',
    SECRET_KEY: 'ab'.repeat(32),
    APP_SECRET: 'unused-here',
    WEBHOOK_VERIFY_TOKEN: 'unused-here',
  })
  const around = machine()
  const db = wrapDb(new Database(':memory:', { strict: true }), { synchronous: 'normal', cacheMib: 2 })
  migrate(db.sqlite, { clock: around.clock })
  const secrets = { roots: { current: config.secretKey ?? Buffer.alloc(32), previous: null }, webhookVerifyToken: '', appSecrets: [] }
  const log = openLog({ level: 'error', format: 'json' })
  const program = createProgram(config, secrets, { ...around, log, db, platform: platformOf(config, around.clock) }, null)
  const text = `${JSON.stringify(await createApp(program).describe(), null, 2)}\n`
  if (flags.out === undefined) process.stdout.write(text)
  else writeFileSync(flags.out, text)
}

function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}\n\n${HELP}`)
    return 2
  }
  if (error instanceof ConfigError) {
    process.stderr.write(`${error.message}\n`)
    return 2
  }
  const isSentence = SENTENCES.some((kind) => error instanceof kind) || (error instanceof Error && 'httpStatus' in error)
  process.stderr.write(
    `${isSentence && error instanceof Error ? error.message : error instanceof Error ? (error.stack ?? error.message) : 'failed'}\n`,
  )
  return 1
}

try {
  await run(process.argv.slice(2))
} catch (error) {
  process.exit(exitCodeOf(error))
}
