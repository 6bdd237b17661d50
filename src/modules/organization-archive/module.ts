import type { Module } from '../../http/module'

export const organizationArchiveModule: Module = {
  name: 'organization-archive',
}
