import { expect, test } from 'bun:test'

import { ApiError } from '../../../src/console/api/error'
import { saveMerged, type Clash } from '../../../src/console/parts/save-merged'

interface Thing {
  name: string
  note: string
  updated_at: string
}

const SEEN: Thing = { name: 'Ana', note: '', updated_at: '1' }

/** Saves beside what somebody else stored. Returns what was sent and how often it was read again. */
async function savedBeside(
  theirs: Partial<Thing>,
  mine: Partial<Thing>,
  choose: (clash: Clash<Thing>) => Partial<Thing> = () => ({}),
) {
  const present = { ...SEEN, ...theirs, updated_at: '2' }
  const sent: Partial<Thing>[] = []
  const clashes: Clash<Thing>[] = []
  let reloads = 0
  await saveMerged<Thing>({
    ...{ mine, seen: SEEN },
    merge: { read: (stored) => stored as Thing, label: String },
    send: (changes, { updated_at: version }) => {
      sent.push(changes)
      if (version === present.updated_at) return Promise.resolve()
      const more = { retryAfterS: null, fields: [], requestId: null, details: { present } }
      return Promise.reject(new ApiError(409, 'changed_meanwhile', 'changed', more))
    },
    reload: () => {
      reloads += 1
      return Promise.resolve()
    },
    choose: (clash) => {
      clashes.push(clash)
      return Promise.resolve(choose(clash))
    },
  })
  return { sent, reloads, fields: clashes.map(({ fields }) => fields) }
}

test('what somebody else changed elsewhere is kept, and the own change is sent again', async () => {
  expect(await savedBeside({ note: 'theirs' }, { name: 'Eva' })).toEqual({
    ...{ sent: [{ name: 'Eva' }, { name: 'Eva' }], reloads: 0, fields: [] },
  })
})

test('where both changed a field, what a person chose of the own changes is sent', async () => {
  const mine = { name: 'Eva', note: 'mine' }
  expect(await savedBeside({ name: 'Eve' }, mine, () => ({ note: 'mine' }))).toEqual({
    ...{ sent: [mine, { note: 'mine' }], reloads: 0, fields: [['name']] },
  })
})

test('nothing is sent when only what the other side has was chosen, and that is shown', async () => {
  expect(await savedBeside({ name: 'Eve' }, { name: 'Eva' })).toEqual({
    ...{ sent: [{ name: 'Eva' }], reloads: 1, fields: [['name']] },
  })
})

test('nothing is sent again when both saved the same', async () => {
  expect(await savedBeside({ name: 'Eva' }, { name: 'Eva' })).toEqual({
    ...{ sent: [{ name: 'Eva' }], reloads: 1, fields: [] },
  })
})
