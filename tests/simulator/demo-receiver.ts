import type { Server } from 'bun'
import { Webhook } from 'standardwebhooks'

/** Events that are kept to be shown. */
const KEPT = 50

/** An event as the endpoint received it. */
interface Received {
  at: string
  webhook_id: string
  /** Whether its signature was verified. */
  is_signed: boolean
  event: { type?: string; data?: unknown }
}

/** The endpoint of a customer: verifies signed events and shows the newest ones. */
export class DemoReceiver {
  private readonly received: Received[] = []
  private readonly webhooks: Webhook[] = []
  private readonly server: Server<undefined>

  constructor() {
    this.server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (one) => this.answer(one) })
  }

  /** Where it listens: a page there shows what it received, `/received` as JSON. */
  get url(): string {
    return `http://127.0.0.1:${this.server.port}`
  }

  /** Accepts events that are signed with this secret. */
  trust(secret: string): void {
    this.webhooks.push(new Webhook(secret))
  }

  async stop(): Promise<void> {
    await this.server.stop(true)
  }

  private async answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (request.method === 'POST') return await this.take(request)
    if (pathname === '/received') return Response.json(this.received)
    return new Response(page(this.received), {
      headers: { 'content-type': 'text/html; charset=utf-8' },
    })
  }

  private async take(request: Request): Promise<Response> {
    const body = await request.text()
    const headers = Object.fromEntries(request.headers)
    const isSigned = this.webhooks.some((webhook) => verifies(webhook, body, headers))
    this.received.unshift({
      at: new Date().toISOString(),
      webhook_id: headers['webhook-id'] ?? '',
      is_signed: isSigned,
      event: isSigned ? (JSON.parse(body) as Received['event']) : { type: body.slice(0, 100) },
    })
    this.received.length = Math.min(this.received.length, KEPT)
    return new Response(null, { status: isSigned ? 204 : 401 })
  }
}

function verifies(webhook: Webhook, body: string, headers: Record<string, string>): boolean {
  try {
    webhook.verify(body, headers)
    return true
  } catch {
    return false
  }
}

const rowOf = ({ at, is_signed, event }: Received): string =>
  `<tr><td>${at.slice(11, 19)}<td>${Bun.escapeHTML(String(event.type))}<td>${is_signed ? 'signed' : 'refused'}<td><code>${Bun.escapeHTML(JSON.stringify(event.data ?? null).slice(0, 300))}</code>`

const page = (received: Received[]): string => `<!doctype html>
<meta http-equiv="refresh" content="2">
<title>Received events</title>
<style>body{font:14px system-ui;margin:2em}td{padding:.3em .8em;vertical-align:top;border-top:1px solid #ddd}</style>
<h1>Events this endpoint received</h1>
<table>${received.map(rowOf).join('\n')}</table>`
