import type { JsonObject } from '../../../../platform/lenient-json'
import type { Body } from '../../../../platform/templates/components'
import {
  checkVariablePositions,
  checkVariables,
  LIMITS,
  readExamples,
  readText,
  type TextReading,
} from './texts'

/** Reads a BODY component and reports its errors. */
export function readBody(reading: TextReading, path: string, component: JsonObject): Body {
  const { isAuthentication, card } = reading
  if (isAuthentication && card === null) {
    if (component.text !== undefined && component.text !== null)
      reading.report(
        `${path}.text`,
        'is written by the platform for the category AUTHENTICATION; leave it out',
      )
    return {
      type: 'BODY',
      add_security_recommendation: component.add_security_recommendation === true,
    }
  }
  if (
    component.add_security_recommendation !== undefined &&
    component.add_security_recommendation !== null
  )
    reading.report(
      `${path}.add_security_recommendation`,
      'is only allowed for the category AUTHENTICATION',
    )
  const text = readText(
    reading,
    `${path}.text`,
    component.text,
    card === null ? LIMITS.body : LIMITS.cardBody,
  )
  const names = checkVariables(reading, `${path}.text`, text)
  checkVariablePositions(reading, `${path}.text`, text, names)
  const example = readExamples(reading, { path, component: 'BODY' }, names, component.example)
  return { type: 'BODY', text, ...(example ? { example } : {}) }
}
