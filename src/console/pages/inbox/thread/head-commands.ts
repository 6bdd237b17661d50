import type { Conversation } from '../../../api/shapes'
import { useMe } from '../../../live/me'
import { usePageCommands } from '../../../parts/commands'
import { t } from '../../../texts/texts'
import { mayClaim, mayHandOver } from '../owner'
import type { Actions } from './actions'

/** Offers what can be done with the open conversation in the palette of commands. */
export function useHeadCommands(
  conversation: Conversation,
  actions: Actions,
  setOpen: (menu: 'assign' | 'snooze') => void,
): void {
  const me = useMe()
  const isClosed = conversation.state === 'closed'
  usePageCommands([
    {
      id: 'close',
      label: t(isClosed ? 'inbox.action.reopen' : 'inbox.action.close-next'),
      icon: 'check',
      shortcut: 'E',
      run: isClosed
        ? actions.reopen
        : () => {
            actions.closeAndNext()
          },
    },
    {
      id: 'snooze',
      label: t('inbox.snooze.title'),
      icon: 'snooze',
      shortcut: 'S',
      run: () => {
        setOpen('snooze')
      },
    },
    ...(mayHandOver(me, conversation)
      ? [
          {
            id: 'assign',
            label: t('inbox.assign.title'),
            icon: 'assign' as const,
            shortcut: 'A',
            run: () => {
              setOpen('assign')
            },
          },
        ]
      : []),
    {
      id: 'unread',
      label: t('inbox.action.unread'),
      icon: 'inbox',
      shortcut: 'U',
      run: actions.markUnread,
    },
    ...(!mayClaim(me, conversation)
      ? []
      : [
          {
            id: 'claim',
            label: t('inbox.action.claim'),
            icon: 'assign' as const,
            run: actions.claim,
          },
        ]),
    ...(['urgent', 'high', 'normal', 'low'] as const)
      .filter((priority) => priority !== conversation.priority)
      .map((priority) => ({
        id: `priority-${priority}`,
        label: t(`inbox.priority.${priority}`),
        icon: 'bolt' as const,
        run: () => {
          actions.setPriority(priority)
        },
      })),
  ])
}
