import { printable } from '../../lib/printable'
import type { MailLogo } from './link-mail'

/** Mail programs know styles on elements only. */
const FONT = "font:15px/22px 'Segoe UI',Roboto,Helvetica,Arial,sans-serif"

const paragraph = (text: string): string =>
  `<p style="margin:0 0 16px 0;${FONT}">${Bun.escapeHTML(text).replaceAll('\n', '<br>')}</p>`

/** Returns the logo of an organization as an element of a mail. */
export const logoHtml = ({ url, alt }: MailLogo): string =>
  `<img src="${Bun.escapeHTML(url)}" alt="${Bun.escapeHTML(printable(alt))}" height="40" style="height:40px;max-width:240px;border:0;margin:0 0 16px 0">`

/** A mail with a link, and what it says before and after the link. */
interface HtmlMail {
  logo: MailLogo
  subject: string
  before: string
  link: string
  after: string | null
}

/** Returns a mail with a link as HTML: what its text says, below the logo of the organization. */
export const htmlOf = ({ logo, subject, before, link, after }: HtmlMail): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${Bun.escapeHTML(subject)}</title></head>
<body style="margin:0;padding:24px">
${logoHtml(logo)}
${paragraph(before)}
<p style="margin:0 0 16px 0;${FONT}"><a href="${Bun.escapeHTML(link)}">${Bun.escapeHTML(link)}</a></p>
${after === null ? '' : paragraph(after)}
</body>
</html>
`
