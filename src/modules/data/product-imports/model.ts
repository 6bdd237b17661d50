import type { KINDS } from './table'

/** Why something of another product is not here, or not all of it, as people read it. */
export const REASONS = {
  activity: 'A line of the other product about what happened, not a message.',
  already_here: 'It is here already, with another content.',
  bad_email: 'The e-mail address is not valid.',
  bad_id: 'Its id cannot be read.',
  bad_number: 'It is not a phone number. Correct it there, or name the country with --country.',
  bad_text: 'Its name or text is empty or cannot be stored.',
  contact_left_out: 'Its contact could not be taken.',
  deleted: 'It was deleted there.',
  fields_left_out: 'Some of its fields have no custom field here, or another kind of value.',
  file_missing: 'Its file is not there any more, or could not be read.',
  file_refused: 'Its file is too large or of a kind that is not stored.',
  invitations_closed: 'The organization accepts no new members.',
  no_media_folder: 'Its file was not looked for: name the folder of the files with --media.',
  no_number: 'It has no phone number.',
  no_text: 'It has neither text nor file.',
  not_asked: 'Colleagues are invited only with --invite-as.',
  not_connected: 'Its phone number is not connected here. Connect it, or name one with --number.',
  not_whatsapp: 'It came by another channel than WhatsApp.',
  reaction: 'A reaction, which belongs to another message.',
  shortened: 'Its text was longer than 65,536 characters and was cut.',
  suppressed: 'The person was erased here and is not brought back.',
  tags_left_out: 'Some of its tags could not be set.',
  templates_by_sync: 'Templates come from WhatsApp: load them under Templates.',
  too_large: 'It is larger than 16 MiB.',
  two_contacts: 'Its phone number belongs to two contacts here. Merge them first.',
} as const

/** A word for such a reason. */
export type Reason = keyof typeof REASONS

/** A kind of such things. */
export type ProductThing = (typeof KINDS)[number]

/** An import cannot go on. The message is for the person at the command line. */
export class ProductImportError extends Error {
  override readonly name = 'ProductImportError'
}
