import type { ReactNode } from 'react'

/** Pages of Meta on which a person sets up a business and its numbers. */
export const META_PAGES = {
  manager: 'https://business.facebook.com/wa/manage/home/',
  security: 'https://business.facebook.com/settings/security',
} as const

/** A link to a page of Meta, in a tab of its own. */
export const MetaLink = ({ href, children }: { href: string; children: ReactNode }) => (
  <a className="button plain" href={href} target="_blank" rel="noopener noreferrer">
    {children}
  </a>
)
