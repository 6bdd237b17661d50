import type { Outgoing } from './outbox'

const DATABASE = 'switchboard-outbox'
const STORE = 'messages'

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1)
    request.addEventListener('upgradeneeded', () => {
      request.result.createObjectStore(STORE, { keyPath: 'ref' })
    })
    request.addEventListener('success', () => {
      resolve(request.result)
    })
    request.addEventListener('error', () => {
      reject(request.error ?? new Error('The outbox cannot be opened.'))
    })
  })
}

async function run<T>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const database = await open()
  try {
    return await new Promise((resolve, reject) => {
      const request = work(database.transaction(STORE, mode).objectStore(STORE))
      request.addEventListener('success', () => {
        resolve(request.result)
      })
      request.addEventListener('error', () => {
        reject(request.error ?? new Error('The outbox cannot be used.'))
      })
    })
  } finally {
    database.close()
  }
}

/** Stores a message, so that it survives a reload. */
export const keep = (entry: Outgoing): Promise<unknown> =>
  run('readwrite', (store) => store.put(entry))

/** Deletes a stored message. */
export const forget = (ref: string): Promise<unknown> =>
  run('readwrite', (store) => store.delete(ref))

/** Returns all stored messages, oldest first. */
export const kept = async (): Promise<Outgoing[]> => {
  const all = await run<Outgoing[]>('readonly', (store) => store.getAll() as IDBRequest<Outgoing[]>)
  return all.toSorted((one, other) => one.createdMs - other.createdMs)
}
