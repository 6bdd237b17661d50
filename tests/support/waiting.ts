import { HASHING, RESERVED_HASHING } from '../../src/modules/organization/users/password'
import type { World } from './world'

/** More requests than any resource admits. */
const CROWD = 30

/**
 * Makes requests wait for a resource, such as password hashes, until a change was made, to test
 * what a request finds after its wait.
 */
export async function whileWaiting<T>(
  world: World,
  places: string | readonly string[],
  start: () => Promise<T>,
  change: () => Promise<unknown>,
): Promise<T> {
  using _stay = world.stays('the memory of a process')
  const { signInLimiter: queue } = world.program
  const crowd: (() => void)[] = []
  const names = [places].flat()
  for (const name of names)
    for (let nth = 0; nth < CROWD; nth += 1)
      crowd.push(await queue.enter([{ name, room: () => Infinity }]))
  const waiting = start()
  await world.eventually(() => names.some((name) => queue.load(name).waiting > 0))
  await change()
  for (const leave of crowd) leave()
  return await waiting
}

/** The resources of password hashes. */
export const AT_HASHES = [HASHING, RESERVED_HASHING]

/** The resource that counts proofs for a user from this client. */
export const proofsOf = (email: string): string => `login:account-address ${email} 127.0.0.1`

/** The resource that counts proofs from this client's address. */
export const PROOFS_FROM_HERE = 'login:address 127.0.0.1'
