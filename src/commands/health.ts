import { get } from 'node:http'

import { SECOND_MS } from '../lib/clock'
import { say, type Command } from './command'

const PATIENCE_MS = 5 * SECOND_MS

/**
 * Checks the health of the server on this machine, for supervisors that can only run a command,
 * such as container health checks.
 */
export const health: Command = {
  name: 'health',
  forms: [['health [--ready]', 'check the running server; exits with 1 if unhealthy']],
  more: 'Connects to HOST and PORT from the server settings and waits up to five seconds.',
  flags: { ready: { type: 'boolean' } },
  words: 0,
  async run({ flags, isJson, config }) {
    const { host, port } = config()
    const path = flags['ready'] === true ? '/ready' : '/health'
    const { isGood, message } = await ask(`http://${reachable(host)}:${port}${path}`)
    if (isJson) say(JSON.stringify({ ok: isGood, message }))
    else say(message)
    if (!isGood) process.exitCode = 1
  },
}

/** Returns an address at which this machine reaches a listener. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/** Requests the health of the server. Avoids `fetch`, which uses the proxy of the environment. */
async function ask(url: string): Promise<{ isGood: boolean; message: string }> {
  const { promise, resolve } = Promise.withResolvers<{ isGood: boolean; message: string }>()
  const request = get(url, { agent: false, signal: AbortSignal.timeout(PATIENCE_MS) }, (answer) => {
    let text = ''
    answer.setEncoding('utf8')
    answer.on('data', (part: string) => (text = (text + part).slice(0, 64 * 1024)))
    answer.on('error', () =>
      resolve({ isGood: false, message: `The response of ${url} was incomplete.` }),
    )
    answer.on('end', () =>
      resolve({
        isGood: answer.statusCode === 200,
        message: sentenceOf(answer.statusCode ?? 0, text),
      }),
    )
  })
  request.on('error', () => resolve({ isGood: false, message: `No response from ${url}.` }))
  return await promise
}

/** Returns the error message of a response, or its status. */
function sentenceOf(status: number, text: string): string {
  if (status === 200) return 'OK'
  try {
    const { message } = JSON.parse(text) as { message?: unknown }
    if (typeof message === 'string') return message
  } catch {
    // another program listens on this port
  }
  return `Unhealthy: HTTP ${status}.`
}
