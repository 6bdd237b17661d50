import { writeBesideLog } from '../infra/log'
import { printable } from '../lib/printable'
import type { RunningServer } from '../run-program'
import { startServer, type FirstLogin } from '../server'
import { StoppedError } from '../startup-listener'
import { stopOnSignal } from '../stop-on-signal'
import { VERSION } from '../version'
import { print, type Command } from './command'
import { saveServiceSettings } from './settings'

/** Runs the server until it is stopped. */
export const serve: Command = {
  name: 'serve',
  forms: [['serve [--no-migrate]', 'start the server (default)']],
  more: 'With --no-migrate, a database of an earlier version is refused instead of upgraded.',
  flags: { 'no-migrate': { type: 'boolean' } },
  words: 0,
  async run({ flags, config, variables }) {
    const settings = config()
    // a closed pipe or a full disk at the log must not stop the server
    process.stdout.on('error', () => undefined)
    // Handle signals from the start: a running migration is rolled back, and a server that is
    // starting stops once it runs.
    const running = Promise.withResolvers<Pick<RunningServer, 'stop'>>()
    const stopSignal = new AbortController()
    stopOnSignal(async () => {
      stopSignal.abort()
      await (await running.promise).stop()
    })
    let login: FirstLogin | null = null
    const server = await startServer(settings, {
      tell: (first) => (login = first),
      migrates: flags['no-migrate'] !== true,
      signal: stopSignal.signal,
    }).catch((error: unknown) => {
      // The password is stored nowhere.
      if (login !== null) print(firstLoginText(login))
      if (error instanceof StoppedError) return null
      throw error
    })
    running.resolve(server ?? { stop: () => Promise.resolve() })
    if (server === null) return
    const { dataDir, host } = settings
    for (const trouble of saveServiceSettings(variables(), { dataDir, host, port: server.port }))
      server.program.http.log.warn({ trouble }, 'settings for commands on this machine not written')
    const text = [
      addressesText(settings.baseUrl, server.port),
      ...(server.notices.length === 0
        ? []
        : [['Please note:', ...server.notices.map((notice) => `  ${notice}`)].join('\n')]),
      ...(login === null ? [] : [firstLoginText(login)]),
    ].join('\n\n')
    writeBesideLog(server.program.http.log, `${printable(`\n${text}`)}\n\n`)
  },
}

const addressesText = (baseUrl: string, port: number): string => {
  const local = `http://localhost:${port}`
  return (
    `Switchboard ${VERSION} is ready.\n  Console   ${local}\n  API       ${local}/api\n  Docs      ${local}/docs\n  ` +
    `Socket    ws://localhost:${port}/ws\n  Webhooks  ${baseUrl}/api/webhook  ` +
    '(run "switchboard webhook" for the verify token)'
  )
}

/** The generated password. This is the only time that it is shown; it is never logged. */
const firstLoginText = ({ email, password }: FirstLogin): string =>
  `First start: created an organization and a super admin.\n  Email     ${email}\n  ` +
  `Password  ${password ?? '(as set in ADMIN_PASSWORD)'}${password === null ? '' : '\n  This password is shown once. Change it after signing in.'}`
