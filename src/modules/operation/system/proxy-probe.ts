import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'

import { hostOf } from '../../../lib/egress'
import { SECOND_MS } from '../../../lib/clock'
import { note, ok, problem, type DoctorFinding } from './finding'

const PATIENCE_MS = 5 * SECOND_MS
const UPLOAD_PATH = '/api/media'

/**
 * Checks whether the public address accepts a body of `bytes`, by sending only the headers of an
 * upload. A proxy with a lower limit refuses it without the request ID that this server adds to
 * each response.
 */
export async function checkBodyLimit(baseUrl: string, bytes: number): Promise<DoctorFinding> {
  const mib = `${Math.floor(bytes / 1024 / 1024)} MiB`
  const head = await headOfAnswer(new URL(baseUrl), bytes).catch(() => null)
  if (head === null)
    return note(
      'address',
      'address_silent',
      `${baseUrl} does not respond from here, so the proxy's limits were not checked.`,
      { address: baseUrl },
    )
  if (/^HTTP\/1\.\d 413/.test(head) && !/^x-request-id:/im.test(head))
    return problem(
      'address',
      'proxy_body_limit',
      `The proxy at ${baseUrl} rejects bodies of ${mib}. Raise its limit to 100 MB.`,
      { address: baseUrl, bytes },
    )
  return ok('address', `${baseUrl} accepts bodies of ${mib}.`)
}

/**
 * Returns the first lines of the response to the headers of an upload. Rejects after five seconds
 * without a response.
 */
async function headOfAnswer(url: URL, bytes: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const isSecure = url.protocol === 'https:'
  const host = hostOf(url)
  const at = { host, port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port) }
  const socket = isSecure ? connectTls({ ...at, servername: host }) : connect(at)
  socket.setTimeout(PATIENCE_MS, () => reject(new Error('no response in time')))
  socket.once(isSecure ? 'secureConnect' : 'connect', () =>
    socket.write(
      `POST ${UPLOAD_PATH} HTTP/1.1\r\nhost: ${url.host}\r\ncontent-type: application/octet-stream\r\ncontent-length: ${bytes}\r\nexpect: 100-continue\r\nconnection: close\r\n\r\n`,
    ),
  )
  let head = ''
  socket.setEncoding('latin1')
  socket.on('data', (part) => {
    head += String(part)
    if (head.includes('\r\n\r\n')) resolve(head)
  })
  socket.once('error', reject)
  socket.once('close', () => reject(new Error('closed without a response')))
  try {
    return await promise
  } finally {
    socket.destroy()
  }
}
