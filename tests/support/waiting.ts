import { HASHING } from '../../src/modules/users/password'
import type { World } from './world'

/** More than any place has room for. */
const CROWD = 30

/**
 * Makes requests wait in a queue, such as that of the password hashes, until a change was made, to
 * test what a request finds after its wait.
 */
export async function whileWaiting<T>(
  world: World,
  place: string,
  start: () => Promise<T>,
  change: () => Promise<unknown>,
): Promise<T> {
  const { signInLimiter: queue } = world.program
  const crowd: (() => void)[] = []
  for (let nth = 0; nth < CROWD; nth += 1)
    crowd.push(await queue.enter([{ name: place, room: () => Infinity }]))
  const waiting = start()
  await world.eventually(() => queue.load(place).waiting > 0)
  await change()
  for (const leave of crowd) leave()
  return await waiting
}

/** The place where passwords are hashed. */
export const AT_HASHES = HASHING

/** The place where the proofs of an account are counted that come from here. */
export const proofsOf = (email: string): string => `login:account-address ${email} 127.0.0.1`

/** The place where the proofs of a client's address are counted. */
export const PROOFS_FROM_HERE = 'login:address 127.0.0.1'
