# SentencePiece ships a pkg-config file only, and Ubuntu's asks for protobuf's development files, which
# are not needed here; so it is found by its header and its two libraries.
find_path(sentencepiece_INCLUDE_DIR sentencepiece_processor.h)
find_library(sentencepiece_LIBRARY sentencepiece)
find_library(sentencepiece_train_LIBRARY sentencepiece_train)
mark_as_advanced(sentencepiece_INCLUDE_DIR sentencepiece_LIBRARY sentencepiece_train_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(sentencepiece
  REQUIRED_VARS sentencepiece_LIBRARY sentencepiece_train_LIBRARY sentencepiece_INCLUDE_DIR)
if(sentencepiece_FOUND AND NOT TARGET sentencepiece::sentencepiece)
  add_library(sentencepiece::sentencepiece INTERFACE IMPORTED)
  target_include_directories(sentencepiece::sentencepiece INTERFACE ${sentencepiece_INCLUDE_DIR})
  target_link_libraries(sentencepiece::sentencepiece INTERFACE
    ${sentencepiece_LIBRARY} ${sentencepiece_train_LIBRARY})
endif()
