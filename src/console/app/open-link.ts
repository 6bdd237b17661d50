import { useNavigate } from '@tanstack/react-router'

import { report } from '../parts/toast'

/** Pages of the console that exist; other links lead nowhere here. */
const KNOWN =
  /^\/(?:inbox|contacts|search|bot|(?:contacts|campaigns|templates)\/[0-9a-f-]{36}|transfers|scheduled|calls|orders|welcome|settings\/(?:profile|numbers|people|teams|tags|webhooks|incoming|queue|archives|privacy))(?:[/?]|$)/

const IMPORT = /^\/imports\/([0-9a-f-]{36})$/

const ACCOUNT = /^\/accounts\/([0-9a-f-]{36})$/

/** Whether a link of the server leads to a page of the console. */
export const isKnownLink = (link: string | null): link is string =>
  link !== null && [IMPORT, ACCOUNT, KNOWN].some((known) => known.test(link))

/** Returns a function that opens the page that a link of the server means, if there is one. */
export function useOpenLink(): (link: string) => void {
  const navigate = useNavigate()
  return (link) => {
    const importId = IMPORT.exec(link)?.[1]
    const numberId = ACCOUNT.exec(link)?.[1]
    if (importId !== undefined)
      navigate({ to: '/contacts/import/$importId', params: { importId }, search: {} }).catch(report)
    else if (numberId !== undefined)
      navigate({ to: '/settings/numbers/$numberId', params: { numberId }, search: {} }).catch(
        report,
      )
    else if (KNOWN.test(link)) navigate({ to: link }).catch(report)
  }
}
