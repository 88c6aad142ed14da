# The ROS 2 wheels' exported targets name include directories of the machine that built them, and CMake
# refuses to generate with them. Handed over as CMAKE_PROJECT_TOP_LEVEL_INCLUDES (CMake 3.24 or newer), this
# takes the directories that do not exist out of every imported target once the project has found them all.
function(_drop_missing_includes)
  get_property(targets DIRECTORY PROPERTY IMPORTED_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(directories "${target}" INTERFACE_INCLUDE_DIRECTORIES)
    if(NOT directories)
      continue()
    endif()
    set(kept "")
    foreach(directory IN LISTS directories)
      # A generator expression is not a path yet: it is kept as it is.
      if(NOT IS_ABSOLUTE "${directory}" OR EXISTS "${directory}")
        list(APPEND kept "${directory}")
      endif()
    endforeach()
    set_property(TARGET "${target}" PROPERTY INTERFACE_INCLUDE_DIRECTORIES "${kept}")
  endforeach()
endfunction()

cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" CALL _drop_missing_includes)
