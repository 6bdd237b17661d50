import analytics from '../../docs/pictures/analytics.webp' with { type: 'file' }
import campaign from '../../docs/pictures/campaign.webp' with { type: 'file' }
import contacts from '../../docs/pictures/contacts.webp' with { type: 'file' }
import flow from '../../docs/pictures/flow.webp' with { type: 'file' }
import inbox from '../../docs/pictures/inbox.webp' with { type: 'file' }
import phone from '../../docs/pictures/phone.webp' with { type: 'file' }
import template from '../../docs/pictures/template.webp' with { type: 'file' }

const PATHS: Readonly<Record<string, string>> = {
  'pictures/analytics.webp': analytics,
  'pictures/campaign.webp': campaign,
  'pictures/contacts.webp': contacts,
  'pictures/flow.webp': flow,
  'pictures/inbox.webp': inbox,
  'pictures/phone.webp': phone,
  'pictures/template.webp': template,
}

/** The names of all pictures of the guides, as below `/docs`. */
export const PICTURES = Object.keys(PATHS)

/** Returns a picture of the guides, `null` if there is none of this name. */
export const pictureOf = (name: string): Bun.BunFile | null => {
  const path = PATHS[name]
  return path === undefined ? null : Bun.file(path, { type: 'image/webp' })
}
