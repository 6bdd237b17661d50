import { type JsonObject } from '../lenient-json'
import type { JsonPath } from './json-path'

/** Records a problem at a path of the document. */
export type ReportProblem = (path: JsonPath, message: string) => void

/** An action of a component. */
export interface FoundAction {
  path: JsonPath
  name: string
  action: JsonObject
}

/** The parts of a screen that could be read. */
export interface Screen {
  id: string
  path: JsonPath
  raw: JsonObject
  isTerminal: boolean
  /** Names of the input fields. */
  fields: string[]
  /** Names of the input data. */
  dataNames: string[]
  actions: FoundAction[]
  /** Maximum number of Footers shown at once. Only one branch is shown at a time. */
  footers: number
}

/** Returns the properties of an object that are not known. */
export const unknownKeys = (value: JsonObject, isKnown: (name: string) => boolean): string[] =>
  Object.keys(value).filter((name) => !isKnown(name))
