import { Agent } from 'node:http'
import { Agent as SecureAgent } from 'node:https'

import { sendHttpRequest, type HttpResult } from '../../platform/client/http-call'
import { SECOND_MS, type Clock } from '../../lib/clock'
import type { Settings } from '../settings'
import { signedRequest } from './signature'

/** Sends signed requests to the other cells over connections that it keeps for a moment. */
export interface CellClient {
  /** Sends a request. Returns what came of it; never throws for failures of the network. */
  post(
    deps: { settings: Pick<Settings, 'cells'>; clock: Clock },
    call: {
      cell: string
      path: string
      facts: object
      body: string | Uint8Array
      signal?: AbortSignal
      maxResponseBytes?: number
    },
  ): Promise<HttpResult>
  /** Closes idle connections, for shutdown. */
  close(): void
}

declare module '../ctx' {
  interface Deps {
    /** Sends requests to the other cells. */
    cellClient: CellClient
  }
}

const LIMITS = {
  connectTimeoutMs: 5 * SECOND_MS,
  totalTimeoutMs: 30 * SECOND_MS,
  maxResponseBytes: 64 * 1_024,
}

/** Closes idle connections before the other side does. */
const IDLE_MS = 4 * SECOND_MS

/** Creates the client. Requests are signed with the secret of the settings. */
export function createCellClient(): CellClient {
  const options = { keepAlive: true, timeout: IDLE_MS }
  const agents = { plain: new Agent(options), secure: new SecureAgent(options) }
  return {
    post({ settings, clock }, { cell, path, facts, body, signal, maxResponseBytes }) {
      const url = new URL(path, cell)
      const request = { path, facts: JSON.stringify(facts), body: Buffer.from(body) }
      const signed = signedRequest(settings.cells?.secret ?? '', request, clock.nowMs())
      return sendHttpRequest(
        {
          url,
          method: 'POST',
          headers: {
            'content-type': 'application/octet-stream',
            'content-length': String(signed.bytes.length),
            ...signed.headers,
          },
          body: signed.bytes,
          signal,
        },
        {
          ...LIMITS,
          ...(maxResponseBytes === undefined ? {} : { maxResponseBytes }),
          agent: url.protocol === 'https:' ? agents.secure : agents.plain,
        },
      )
    },
    close() {
      agents.plain.destroy()
      agents.secure.destroy()
    },
  }
}
