import { t } from '../texts/texts'

/** A link to a page of the documentation, which opens beside the console. */
export const GuideLink = ({ href, isButton = false }: { href: string; isButton?: boolean }) => (
  <a
    {...(isButton ? { className: 'button plain' } : {})}
    href={href}
    target="_blank"
    rel="noopener noreferrer"
  >
    {t('parts.action.read-how')}
  </a>
)
