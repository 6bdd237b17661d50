import { findText } from '../texts/texts'

/** Returns what a permission allows, as a sentence. */
export const sentenceOfPermission = (permission: string): string =>
  findText(`settings.permission.${permission}`) ?? permission
