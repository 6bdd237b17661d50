import { stopOnSignal } from '../stop-on-signal'
import { print, textOf, UsageError, type Command, type Flags } from './command'

/** Runs a server with two made-up businesses on a simulated platform. */
export const demo: Command = {
  name: 'demo',
  forms: [
    [
      'demo [--port N] [--dir FOLDER] [--host ADDRESS] [--log-level LEVEL]',
      'try it: two small businesses with customers on a simulated WhatsApp',
    ],
  ],
  more:
    'Listens on this machine only unless --host or DEMO_HOST says otherwise, on port 8080 or, if that ' +
    'is\ntaken, on a free one. The data is deleted at the end unless --dir names a folder. Settings of a\n' +
    'real server are not read.',
  flags: {
    port: { type: 'string' },
    dir: { type: 'string' },
    host: { type: 'string' },
    'log-level': { type: 'string' },
  },
  words: 0,
  async run({ flags, environment }) {
    const port = portOf(flags)
    const running = Promise.withResolvers<{ stop: () => Promise<void> }>()
    const stopSignal = new AbortController()
    stopOnSignal(async () => {
      stopSignal.abort()
      await (await running.promise).stop()
    })
    print('Making 90 days of history …')
    const { startDemo } = await import('../demo/run')
    const started = await startDemo({
      port,
      // The image sets it. Not HOST: passwords of a demo are public, so a setting of a server opens none.
      host: textOf(flags, 'host') ?? (environment['DEMO_HOST'] || '127.0.0.1'),
      dir: textOf(flags, 'dir'),
      logLevel: textOf(flags, 'log-level') ?? 'error',
      signal: stopSignal.signal,
    }).catch((error: unknown) => {
      if (stopSignal.signal.aborted) return null
      throw error
    })
    running.resolve(started ?? { stop: () => Promise.resolve() })
    if (started) print(started.text)
  },
}

/** Returns the port, or `null` if none was given. Throws UsageError. */
function portOf(flags: Flags): number | null {
  const text = textOf(flags, 'port')
  if (text === undefined) return null
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new UsageError('--port must be a number up to 65535.')
  return Number(text)
}
