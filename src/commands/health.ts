import { get } from 'node:http'

import { SECOND_MS } from '../lib/clock'
import { print, type Command } from './command'

const TIMEOUT_MS = 5 * SECOND_MS

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
    const { isHealthy, message } = await requestHealth(
      `http://${reachableHost(host)}:${port}${path}`,
    )
    if (isJson) print(JSON.stringify({ ok: isHealthy, message }))
    else print(message)
    if (!isHealthy) process.exitCode = 1
  },
}

/** Returns an address at which this machine reaches a listener. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/** Requests the health of the server. Avoids `fetch`, which uses the proxy of the environment. */
async function requestHealth(url: string): Promise<{ isHealthy: boolean; message: string }> {
  const { promise, resolve } = Promise.withResolvers<{ isHealthy: boolean; message: string }>()
  const request = get(
    url,
    { agent: false, signal: AbortSignal.timeout(TIMEOUT_MS) },
    (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => (text = (text + part).slice(0, 64 * 1024)))
      response.on('error', () =>
        resolve({ isHealthy: false, message: `The response of ${url} was incomplete.` }),
      )
      response.on('end', () =>
        resolve({
          isHealthy: response.statusCode === 200,
          message: messageOf(response.statusCode ?? 0, text),
        }),
      )
    },
  )
  request.on('error', () => resolve({ isHealthy: false, message: `No response from ${url}.` }))
  return await promise
}

/** Returns the error message of a response, or its status. */
function messageOf(status: number, text: string): string {
  if (status === 200) return 'OK'
  try {
    const { message } = JSON.parse(text) as { message?: unknown }
    if (typeof message === 'string') return message
  } catch {
    // another program listens on this port
  }
  return `Unhealthy: HTTP ${status}.`
}
