import {
  startServer,
  StoppedError,
  stopOnSignal,
  type FirstLogin,
  type RunningServer,
} from '../server'
import { VERSION } from '../version'
import { say, type Command } from './command'
import { leaveSettings } from './settings'

/** Runs the server until it is told to stop. */
export const serve: Command = {
  name: 'serve',
  forms: [['serve [--no-migrate]', 'migrate, listen and work (default)']],
  flags: { 'no-migrate': { type: 'boolean' } },
  words: 0,
  async run({ flags, config, variables }) {
    const settings = config()
    // who reads it may go, or its disk be full: that ends no server
    process.stdout.on('error', () => undefined)
    // Signals count from the first moment on: what a migration did so far is taken back, any other
    // start is stopped as soon as it runs.
    const running = Promise.withResolvers<Pick<RunningServer, 'stop'>>()
    const told = new AbortController()
    stopOnSignal(async () => {
      told.abort()
      await (await running.promise).stop()
    })
    const server = await startServer(settings, {
      tell: printFirstLogin,
      migrates: flags['no-migrate'] !== true,
      signal: told.signal,
    }).catch((error: unknown) => {
      if (error instanceof StoppedError) return null
      throw error
    })
    running.resolve(server ?? { stop: () => Promise.resolve() })
    if (server === null) return
    const { dataDir, host } = settings
    for (const trouble of leaveSettings(variables(), { dataDir, host, port: server.port }))
      server.program.http.log.warn({ trouble }, 'commands on this machine cannot read the settings')
    const local = `http://localhost:${server.port}`
    say(
      `\nSwitchboard ${VERSION} is ready.\n  API       ${local}/api\n  Docs      ${local}/docs\n  Socket    ws://localhost:${server.port}/ws\n  Webhooks  ${settings.baseUrl}/api/webhook  (verify token and app secret: command "webhook")\n`,
    )
  },
}

/** The one time the password is shown: to standard output, never to the log. */
function printFirstLogin({ email, password }: FirstLogin): void {
  say(
    `\nFirst start: an organization and a super admin were created.\n  E-mail    ${email}\n  Password  ${password ?? '(the one in ADMIN_PASSWORD)'}\n${password === null ? '' : '  This password is shown once. Change it after signing in.\n'}`,
  )
}
