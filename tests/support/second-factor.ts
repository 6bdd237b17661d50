import { createHmac } from 'node:crypto'

import type { Client } from './client'
import { PASSWORD, type World } from './world'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function bytesOf(base32: string): Buffer {
  const bits = [...base32]
    .map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)))
}

/** Returns the code of a time step, implemented only from RFC 4226 and 6238. */
export function codeAt(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', bytesOf(secret)).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 15
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

/** Returns the current code of an authenticator app, or of a later time step. */
export const codeOf = (world: World, secret: string, later = 0): string =>
  codeAt(secret, Math.floor(world.clock.nowMs() / 30_000) + later)

/**
 * Turns on two-factor authentication of a user. This uses a time step, so the time advances by one.
 */
export async function switchOn(
  world: World,
  client: Client,
): Promise<{ secret: string; backupCodes: string[] }> {
  using _stay = world.stays('sign-ins')
  const { data } = await client.post('/api/me/2fa/setup', { current_password: PASSWORD })
  const secret = data['secret'] as string
  const enabled = await client.post('/api/me/2fa/enable', { code: codeOf(world, secret) })
  world.clock.advance({ seconds: 30 })
  return { secret, backupCodes: enabled.data['backup_codes'] as string[] }
}
