#include "config/selection.h"

#include "base/fault.h"
#include "base/text.h"

namespace postrider::config {
namespace {

absl::StatusOr<TableFilter> AsFault(absl::StatusOr<TableFilter> filter) {
  if (filter.ok()) return filter;
  return MakeFault(Fault::kConfiguration, MessageOf(filter.status()));
}

}  // namespace

absl::StatusOr<TableFilter> TablesOf(const TableSelection& selection) {
  return AsFault(TableFilter::Make(selection.table_include_list, selection.table_exclude_list,
                                   selection.schema_include_list, selection.schema_exclude_list));
}

absl::StatusOr<TableFilter> ColumnsOf(const TableSelection& selection) {
  return AsFault(TableFilter::Make(selection.column_include_list, selection.column_exclude_list, "", ""));
}

}  // namespace postrider::config
