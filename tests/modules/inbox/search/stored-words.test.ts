import { expect, test } from 'bun:test'

import { deliver, textTo } from '../../../support/lines'
import { World } from '../../../support/world'

test('words are stored only where the index makes others of the text', async () => {
  await using world = await World.create({ tenants: 1 })
  for (const text of ['The amber vase', 'Die Straße nach Łódź'])
    await deliver(world, textTo(world, text))
  await world.settle()
  expect(world.rows('select words from message_words order by row')).toEqual([
    { words: null },
    { words: 'die strasse nach lodz' },
  ])
})
