import { isObject, listOf } from '../lenient-json'
import { type Place } from './json-path'
import { type Note, type Screen } from './screen-model'

const REFERENCE = /\$\{(?:screen\.([A-Za-z_]+)\.)?(form|data)\.([\w-]+)/g

/**
 * Checks that every `${data.…}` and `${form.…}` refers to a name of its screen, or of the screen it
 * names.
 */
export function checkReferences(screens: Screen[], note: Note): void {
  const byId = new Map(screens.map((screen) => [screen.id, screen]))
  for (const screen of screens)
    eachText(screen.raw['layout'], [...screen.place, 'layout'], (written, place) => {
      for (const [whole, named, kind, name = ''] of written.matchAll(REFERENCE)) {
        const at = named === undefined ? screen : byId.get(named)
        if (!at) note(place, `${whole}} does not refer to a screen of this flow`)
        else if (kind === 'data' && !at.given.includes(name))
          note(place, `${whole}} is not in the data of ${at.id}`)
        else if (kind === 'form' && !at.fields.includes(name))
          note(place, `${whole}} is not a field of ${at.id}`)
      }
    })
}

function eachText(
  value: unknown,
  place: Place,
  tell: (written: string, place: Place) => void,
): void {
  if (typeof value === 'string') return tell(value, place)
  if (Array.isArray(value))
    for (const [index, inner] of listOf(value).entries()) eachText(inner, [...place, index], tell)
  else if (isObject(value))
    for (const [name, inner] of Object.entries(value)) eachText(inner, [...place, name], tell)
}
