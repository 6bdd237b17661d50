import { isObject, listOf } from '../lenient-json'
import { type JsonPath } from './json-path'
import { type ReportProblem, type Screen } from './screen-model'

const REFERENCE = /\$\{(?:screen\.([A-Za-z_]+)\.)?(form|data)\.([\w-]+)/g

/**
 * Checks that every `${data.…}` and `${form.…}` refers to a name of its screen, or of the screen it
 * names.
 */
export function checkReferences(screens: Screen[], report: ReportProblem): void {
  const byId = new Map(screens.map((screen) => [screen.id, screen]))
  for (const screen of screens)
    eachText(screen.raw['layout'], [...screen.path, 'layout'], (text, path) => {
      for (const [reference, screenId, kind, name = ''] of text.matchAll(REFERENCE)) {
        const target = screenId === undefined ? screen : byId.get(screenId)
        if (!target) report(path, `${reference}} does not refer to a screen of this flow`)
        else if (kind === 'data' && !target.dataNames.includes(name))
          report(path, `${reference}} is not in the data of ${target.id}`)
        else if (kind === 'form' && !target.fields.includes(name))
          report(path, `${reference}} is not a field of ${target.id}`)
      }
    })
}

function eachText(
  value: unknown,
  path: JsonPath,
  visit: (text: string, path: JsonPath) => void,
): void {
  if (typeof value === 'string') return visit(value, path)
  if (Array.isArray(value))
    for (const [index, inner] of listOf(value).entries()) eachText(inner, [...path, index], visit)
  else if (isObject(value))
    for (const [name, inner] of Object.entries(value)) eachText(inner, [...path, name], visit)
}
