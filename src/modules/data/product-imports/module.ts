import type { Module } from '../../../http/module'
import { left } from '../../../infra/table-fates'
import { productImportItems, productImports } from './table'

export const productImportsModule: Module = {
  name: 'product-imports',
  tables: [
    left(productImports, 'an undo is possible only where the import was made'),
    left(productImportItems, 'an undo is possible only where the import was made'),
  ],
}
